/** Options that let this Node say of itself that it is an old one. What it starts is not told so. */
export const OLD_NODE_ARGS = [
  '--import',
  'data:text/javascript,Object.defineProperty(process, "versions", { value: { node: "20.0.0" } })',
];
