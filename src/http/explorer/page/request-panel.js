/** The request that the controls stand for: its address, and code that sends it. */

import { find, makeToggle } from './dom.js';
import { listingUrl } from './listing.js';
import { LANGUAGES, sampleIn } from './samples.js';

const accountField = find('#account', HTMLInputElement);
const tokenField = find('#token', HTMLInputElement);

/** @type {import('./samples.js').Language} */
let language = 'curl';

/** @param {string} search */
export function requestUrl(search) {
  return listingUrl(accountField.value.trim() || 'ACCOUNT', search);
}

/** @param {string} search */
export function showRequest(search) {
  const url = requestUrl(search);
  find('#request-line').textContent = `GET ${decodeURI(url.pathname)}${url.search}`;
  const token = find('#reveal', HTMLInputElement).checked ? tokenField.value.trim() : undefined;
  find('#code').textContent = sampleIn(language, url.href, token);
}

/** Lets the user choose the language of the code. @param {() => void} onChosen */
export function offerLanguages(onChosen) {
  for (const name of LANGUAGES) {
    const toggle = makeToggle({ type: 'radio', name: 'language', value: name }, name);
    const input = find('input', HTMLInputElement, toggle);
    input.checked = name === language;
    input.addEventListener('change', () => {
      language = name;
      onChosen();
    });
    find('#languages').append(toggle);
  }
}
