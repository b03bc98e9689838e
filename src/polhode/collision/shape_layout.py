"""The layout of a shape's numbers in the one array of a `ShapeTable`.

A shape's record begins at its offset with `HEADER` numbers. Vertices, faces and heights lie
elsewhere in the array, at absolute places that the record names.
"""

# Kinds, in the order in which a pair is taken apart: that of the lower `ORDER` is the first.
PLANE, HEIGHTMAP, MESH, TORUS, SPHERE, CAPSULE, CYLINDER, CONE, BOX, POLYHEDRON = range(10)

KIND = 0
SIZE = 1  # box: half edges; round shapes: radius, half length; torus: radii; height map: half size
ROUND = 4  # radius by which the core (a point, a segment) is thickened; 0 where there is none
REACH = 5  # radius of a sphere about the centre of the local box that holds the shape
CENTRE = 6  # of the local box
HALF = 9  # half edges of the local box
N_VERTICES = 12  # height map: rows
VERTICES = 13  # 3 numbers each; height map: heights row by row
N_FACES = 14  # height map: columns
FACES = 15  # polyhedron: FACE numbers each; mesh: 3 numbers of vertices each
TREE = 16  # mesh: NODE numbers for each node of the tree of boxes
N_NODES = 17
NORMALS = 18  # mesh: for each face the normals of face, 3 edges (0-1, 1-2, 2-0), 3 corners
RINGS = 19  # mesh: for each vertex the place and count of its neighbours' numbers
CORNER_CELLS = 19  # polyhedron: place of the `direction_cells` of corners; 0 if they are few
N_SIDES = 20  # polyhedron: edges, 2 numbers of corners each
SIDES = 21
REGIONS = 20  # mesh: for each face the number of its flat region, and bits of its `BORDER`
CORNERS = 21  # mesh: for each vertex 1 if it is a corner of a flat region, else 0
TRIANGLES = 22  # mesh: a record of TRIANGLE numbers for each face, as of a polyhedron
FACE_CELLS = 22  # polyhedron: place of those of normals of faces; 0 if these are few
ORDER = 23  # rank among the shapes of the table, by kind, then by sizes
HEADER = 24

FACE = 6  # normal, distance from the origin, number of corners, place of the corners' numbers
NODE = 9  # low and high corner, first face, number of faces (0: inner node), node after all of it
NORMAL = 21
TRIANGLE = HEADER + 9
BORDER = (1, 2, 4)  # edges 0-1, 1-2, 2-0 of a face that are on the border of its flat region,
CORNER = (8, 16, 32)  # and its corners that are corners of the region
LEAF = 4  # faces in a leaf of the tree

RING = 8  # points on a circle that stand for it
MAX_PER_PAIR = 8
