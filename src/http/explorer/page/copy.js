/** Buttons that copy a text, and say so. */

const CONFIRMED_MS = 2_000;

/**
 * @param {HTMLElement} button
 * @param {() => string} textOf
 */
export function enableCopying(button, textOf) {
  const title = button.textContent ?? '';
  let timer = 0;
  button.addEventListener('click', async () => {
    button.textContent = (await copy(textOf())) ? 'Copied' : 'Not allowed';
    clearTimeout(timer);
    timer = setTimeout(() => {
      button.textContent = title;
    }, CONFIRMED_MS);
  });
}

/** @param {string} text */
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Without HTTPS, browsers have a clipboard for this machine's own addresses alone.
    return copySelected(text);
  }
}

/** @param {string} text */
function copySelected(text) {
  const field = document.createElement('textarea');
  field.value = text;
  document.body.append(field);
  const focused = document.activeElement;
  field.select();
  const isCopied = document.execCommand('copy');
  field.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return isCopied;
}
