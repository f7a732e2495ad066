/**
 * Tells the page around a framed one how high that is, so that the frame needs no scrollbar. Only origins that may frame
 * the page are told: they stand in the page, at the script.
 */

export const FRAME_SCRIPT_TYPE = 'text/javascript; charset=utf-8';

/** If the browser names the origin around the frame, only that one is told: each message to another logs an error. */
export const FRAME_SCRIPT = `const allowed = document.currentScript.dataset.origins.split(' ');
const around = location.ancestorOrigins?.[0];
const targets = allowed.includes(around) ? [around] : allowed;

function tellHeight() {
  const height = Math.ceil(document.documentElement.getBoundingClientRect().height);
  for (const target of targets) parent.postMessage({ type: 'shiftfeed-height', height }, target);
}

if (parent !== window) new ResizeObserver(tellHeight).observe(document.documentElement);
`;
