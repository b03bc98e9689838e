-- A walker of human proportions, made up for polhode: x forward, y to the left, z up.
--
-- Lengths and masses of the segments are fractions of the height and mass given here, near those
-- of textbooks on biomechanics.  Legs and arms are written once and built for both sides.

height = 1.75 -- m
mass = 72 -- kg

-- fraction of mass, length and radius [m], and where along it the centre of mass lies
segments = {
  pelvis   = { share = 0.142, length = 0.10 * height, radius = 0.095, com = 0.5 },
  trunk    = { share = 0.355, length = 0.26 * height, radius = 0.125, com = 0.45 },
  head     = { share = 0.081, length = 0.13 * height, radius = 0.095, com = 0.6 },
  thigh    = { share = 0.100, length = 0.245 * height, radius = 0.068, com = 0.433 },
  shank    = { share = 0.0465, length = 0.246 * height, radius = 0.048, com = 0.433 },
  foot     = { share = 0.0145, length = 0.152 * height, radius = 0.035, com = 0.5 },
  upperarm = { share = 0.028, length = 0.172 * height, radius = 0.043, com = 0.436 },
  forearm  = { share = 0.022, length = 0.157 * height, radius = 0.035, com = 0.43 },
}
hip_width = 0.10 * height
shoulder_width = 0.235 * height
ankle_height = 0.039 * height

colors = { body = { 0.26, 0.45, 0.70 }, skin = { 0.93, 0.76, 0.63 }, shoe = { 0.20, 0.20, 0.23 } }

-- A solid cylinder along z that starts at the joint and goes up (1) or down (-1).
local function limb(name, direction, color)
  local s = segments[name]
  local m = s.share * mass
  local across = m * (3 * s.radius ^ 2 + s.length ^ 2) / 12
  local along = m * s.radius ^ 2 / 2
  return {
    mass = m,
    com = { 0, 0, direction * s.com * s.length },
    inertia = { { across, 0, 0 }, { 0, across, 0 }, { 0, 0, along } },
  }, {
    {
      geometry = { capsule = { radius = s.radius, length = math.max(s.length - 2 * s.radius, 0.02) } },
      mesh_center = { 0, 0, direction * s.length / 2 },
      color = color,
    },
  }
end

-- A solid box, its lowest face at z = bottom and its rear at x = back.
local function block(name, size, back, bottom, color)
  local m = segments[name].share * mass
  local x, y, z = size[1], size[2], size[3]
  local center = { back + x / 2, 0, bottom + z / 2 }
  return {
    mass = m,
    com = center,
    inertia = {
      { m * (y ^ 2 + z ^ 2) / 12, 0, 0 },
      { 0, m * (x ^ 2 + z ^ 2) / 12, 0 },
      { 0, 0, m * (x ^ 2 + y ^ 2) / 12 },
    },
  }, { { geometry = { box = { dimensions = size } }, mesh_center = center, color = color } }
end

ball = { "JointTypeEulerYXZ" } -- flexion, abduction, twist
hinge = { { 0, 1, 0, 0, 0, 0 } }
ankle = { { 0, 1, 0, 0, 0, 0 }, { 1, 0, 0, 0, 0, 0 } }

frames = {}

local function add(name, parent, joint, r, body, visuals)
  frames[#frames + 1] = {
    name = name, parent = parent, joint = joint, joint_frame = { r = r }, body = body,
    visuals = visuals,
  }
end

pelvis_size = { 0.16, hip_width + 0.12, segments.pelvis.length }
trunk_size = { 0.19, shoulder_width - 0.06, segments.trunk.length }
foot_size = { segments.foot.length, 0.09, ankle_height }

add("pelvis", "ROOT", { "JointTypeFloatingBase" }, { 0, 0, 0 },
  block("pelvis", pelvis_size, -0.08, 0, colors.body))
add("trunk", "pelvis", ball, { 0, 0, segments.pelvis.length },
  block("trunk", trunk_size, -0.095, 0.01, colors.body))
add("head", "trunk", {}, { 0, 0, segments.trunk.length + 0.03 }, limb("head", 1, colors.skin))

for _, side in ipairs { { "left", 1 }, { "right", -1 } } do
  local name, sign = side[1], side[2]
  add("thigh_" .. name, "pelvis", ball, { 0, sign * hip_width / 2, 0 },
    limb("thigh", -1, colors.body))
  add("shank_" .. name, "thigh_" .. name, hinge, { 0, 0, -segments.thigh.length },
    limb("shank", -1, colors.body))
  add("foot_" .. name, "shank_" .. name, ankle, { 0, 0, -segments.shank.length },
    block("foot", foot_size, -0.06, -ankle_height, colors.shoe))
end

for _, side in ipairs { { "left", 1 }, { "right", -1 } } do
  local name, sign = side[1], side[2]
  add("upperarm_" .. name, "trunk", ball,
    { 0, sign * shoulder_width / 2, segments.trunk.length - 0.04 },
    limb("upperarm", -1, colors.body))
  add("forearm_" .. name, "upperarm_" .. name, hinge, { 0, 0, -segments.upperarm.length },
    limb("forearm", -1, colors.skin))
end

-- Each foot on the ground: heel in all directions, toe sideways and up, outer toe up.
local function stance(name, sign)
  local heel = { -0.06, 0, -ankle_height }
  local toe = { -0.06 + foot_size[1], -sign * 0.03, -ankle_height }
  local outer = { -0.06 + foot_size[1], sign * 0.045, -ankle_height }
  local rows = {}
  local function hold(part, point, normal, axis)
    rows[#rows + 1] = {
      constraint_type = "contact", name = name .. "_" .. part .. "_" .. axis,
      body = "foot_" .. name, point = point, normal = normal,
    }
  end
  hold("heel", heel, { 1, 0, 0 }, "x")
  hold("heel", heel, { 0, 1, 0 }, "y")
  hold("heel", heel, { 0, 0, 1 }, "z")
  hold("toe", toe, { 0, 1, 0 }, "y")
  hold("toe", toe, { 0, 0, 1 }, "z")
  hold("outer", outer, { 0, 0, 1 }, "z")
  return rows
end

-- A whole set of both feet, made of copies of the rows.
local function joined(a, b)
  local rows = {}
  for _, list in ipairs { a, b } do
    for _, row in ipairs(list) do rows[#rows + 1] = row end
  end
  return rows
end

return {
  gravity = { 0, 0, -9.81 },
  configuration = {
    axis_front = { 1, 0, 0 },
    axis_right = { 0, -1, 0 },
    axis_up = { 0, 0, 1 },
  },
  frames = frames,
  constraint_sets = {
    left_foot = stance("left", 1),
    right_foot = stance("right", -1),
    both_feet = joined(stance("left", 1), stance("right", -1)),
  },
}
