// What each key does, and the list of it.  The first block is showmotion's.
const TURN = Math.PI / 60;
const ROLL = Math.PI / 90;
const PAN = 0.02;
const ZOOM = 1.02;
const FASTER = 1.25;

export const HELP = [
  ["space", "play, pause"],
  ["0", "pause, then back to the start"],
  ["r", "repeat"],
  [", .", "slower, faster"],
  ["/", "reverse"],
  ["1", "speed 1, forwards"],
  ["n m", "back, on by 1 %"],
  ["N M", "by 0.1 %"],
  ["ctrl N M", "by 0.01 %"],
  ["[ ]", "by one frame, a live step"],
  ["home end", "start, end"],
  ["arrows", "move the picture"],
  ["shift arrows", "turn"],
  ["ctrl \u2190 \u2192", "roll"],
  ["ctrl \u2191 \u2193", "zoom"],
  ["z Z", "zoom in, out"],
  ["i", "initial view"],
  ["l L", "light at the camera"],
  ["o O", "light from above"],
  ["t", "track the machine or body"],
  ["a", "body frames"],
  ["j", "joint axes"],
  ["c", "centre of mass"],
  ["x", "inertia"],
  ["w", "trails"],
  ["f", "contact forces"],
  ["v", "collision shapes"],
  ["g", "ground"],
  ["e", "plots"],
  ["b", "bodies and joints"],
  ["d", "dark, light"],
  ["p", "controls"],
  ["h ?", "this help"],
];

function actions(viewer) {
  const { player, stage: { view } } = viewer;
  const part = (share) => () => player.jog(share * player.duration);
  const plain = {
    " ": () => player.toggle(),
    0: () => player.stop(),
    r: () => viewer.setLoop(!player.loop),
    p: () => viewer.panel.toggle(),
    h: () => viewer.panel.help(),
    "?": () => viewer.panel.help(),
    ",": () => player.setSpeed(player.speed / FASTER),
    ".": () => player.setSpeed(player.speed * FASTER),
    "/": () => player.reverse(),
    1: () => { player.reversed = false; player.setSpeed(1); },
    ArrowLeft: () => view.pan(PAN, 0),
    ArrowRight: () => view.pan(-PAN, 0),
    ArrowUp: () => view.pan(0, -PAN),
    ArrowDown: () => view.pan(0, PAN),
    z: () => view.zoom(ZOOM),
    Z: () => view.zoom(1 / ZOOM),
    i: () => viewer.reset(),
    l: () => stageLight("lamp", 1),
    L: () => stageLight("lamp", -1),
    o: () => stageLight("sun", 1),
    O: () => stageLight("sun", -1),
    n: part(-0.01),
    m: part(0.01),
    N: part(-0.001),
    M: part(0.001),
    "[": () => player.jogFrames(-1),
    "]": () => player.jogFrames(1),
    Home: () => player.seek(0),
    End: () => player.seek(player.duration),
    t: () => viewer.setTracking(!viewer.tracking),
    a: () => viewer.toggle("frames"),
    j: () => viewer.toggle("joints"),
    c: () => viewer.toggle("com"),
    x: () => viewer.toggle("inertia"),
    w: () => viewer.toggle("trails"),
    f: () => viewer.toggle("contacts"),
    v: () => viewer.toggle("collisions"),
    g: () => viewer.setGround(!viewer.ground),
    e: () => viewer.setPlots(!viewer.plotsShown),
    b: () => viewer.setTree(!viewer.treeShown),
    d: () => viewer.setTheme(viewer.theme === "dark" ? "light" : "dark"),
    Escape: () => viewer.panel.close(),
  };
  const shifted = {
    ArrowLeft: () => view.turn(-TURN, 0),
    ArrowRight: () => view.turn(TURN, 0),
    ArrowUp: () => view.turn(0, -TURN),
    ArrowDown: () => view.turn(0, TURN),
  };
  const controlled = {
    ArrowLeft: () => { view.roll += ROLL; },
    ArrowRight: () => { view.roll -= ROLL; },
    ArrowUp: () => view.zoom(ZOOM),
    ArrowDown: () => view.zoom(1 / ZOOM),
    n: part(-0.0001),
    N: part(-0.0001),
    m: part(0.0001),
    M: part(0.0001),
  };
  function stageLight(name, by) {
    viewer.stage.brighten(name, by);
  }
  return { plain, shifted, controlled };
}

export function listen(viewer) {
  const { plain, shifted, controlled } = actions(viewer);
  window.addEventListener("keydown", (event) => {
    if (event.metaKey || event.altKey || event.target.tagName === "SELECT") return;
    const table = event.ctrlKey ? controlled : event.shiftKey && shifted[event.key] ? shifted : plain;
    const action = table[event.key];
    if (!action) return;
    event.preventDefault();
    action();
    viewer.draw();
  });
  // A focused button must not also take the space bar.
  window.addEventListener("keyup", (event) => {
    if (event.key === " ") event.preventDefault();
  });
}
