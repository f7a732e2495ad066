/** The scripts of pages. Browsers run them as they stand here. */

/**
 * Tells the page around a framed one how high that is, so that the frame needs no scrollbar. Only origins that may frame
 * the page are told: they stand in the page, at the script. If the browser names the origin around the frame, only that
 * one is told: each message to another logs an error.
 */
export const FRAME_SCRIPT = `const allowed = document.currentScript.dataset.origins.split(' ');
const around = location.ancestorOrigins?.[0];
const targets = allowed.includes(around) ? [around] : allowed;

function tellHeight() {
  const height = Math.ceil(document.documentElement.getBoundingClientRect().height);
  for (const target of targets) parent.postMessage({ type: 'shiftfeed-height', height }, target);
}

if (parent !== window) new ResizeObserver(tellHeight).observe(document.documentElement);
`;

/**
 * Keeps a board alive that nobody looks after. It loads the page again when the calendar does not run or has had no
 * answer for long, and when the gateway has newer scripts; but only after the gateway has given the page, because a
 * browser that reloads while the gateway is away ends on a page of its own, without this script. It stands in the page,
 * so that it is there whenever the page is, and the security policy names its hash.
 */
export const HEAL_SCRIPT = `{
  const MINUTE_MS = 60_000;
  const OLD_MS = 10 * MINUTE_MS;
  const SCRIPTS_MS = 60 * MINUTE_MS;
  const LONGEST_PAUSE_MS = 10 * MINUTE_MS;
  const { src } = document.querySelector('script[src]') ?? {};
  const scripts = src === undefined ? [] : [src, new URL('shift-calendar-board.js', src).href];
  let running;
  let comparedMs = -Infinity;
  let failures = 0;
  let nextMs = MINUTE_MS * (1 + Math.random() / 4);
  let isBusy = false;

  // The browser keeps what was read to its end: the next load has the newer scripts.
  async function ask(url) {
    const response = await fetch(url, { cache: 'no-cache', signal: AbortSignal.timeout(MINUTE_MS / 2) });
    await response.arrayBuffer();
    return response;
  }
  const tagOf = ({ headers }) => headers.get('etag')?.replace(/-(?:br|gzip|zstd)"$/, '"');
  const tagsOfScripts = async () => String((await Promise.all(scripts.map(ask))).map(tagOf));

  async function look(nowMs) {
    const updatedMs = document.querySelector('shift-calendar')?.updatedMs ?? -Infinity;
    let isDue = Math.abs(Date.now() - updatedMs) > OLD_MS;
    if (isDue || nowMs - comparedMs > SCRIPTS_MS) {
      const tags = await tagsOfScripts();
      comparedMs = nowMs;
      running ??= tags;
      isDue ||= tags !== running;
    }
    if (!isDue) return;
    if (!(await ask(location.href)).ok) throw new Error('The page cannot be shown at the moment.');
    location.reload();
  }

  setInterval(async () => {
    const nowMs = performance.now();
    if (isBusy || document.hidden || nowMs < nextMs) return;
    isBusy = true;
    failures = await look(nowMs).then(() => 0, () => failures + 1);
    const pauseMs = Math.min(LONGEST_PAUSE_MS, MINUTE_MS * 2 ** failures);
    nextMs = performance.now() + pauseMs * (1 + Math.random() / 4);
    isBusy = false;
  }, 5_000);
}
`;

/** The hash of the script, as a security policy has it. When the script changes, a test fails and tells the new one. */
export const HEAL_SCRIPT_HASH = 'sha256-0hdposM9jKGJStgUb89MrIFhHGnpvGcX5fbz5F5k+SM=';
