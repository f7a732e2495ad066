/** The controls of the filters: what they ask for, the groups that they offer, and what the API says is wrong with them. */

import { find, make, makeToggle } from './dom.js';
import { daysOfWeek, readWeek } from './iso-week.js';

/** @typedef {HTMLInputElement | HTMLSelectElement} Control */

const form = find('#request', HTMLFormElement);

/**
 * The query string that the controls stand for.
 *
 * @param {Readonly<Record<string, string>>} [instead] parameters that are set otherwise; an empty text leaves one out
 * @returns {string} without a question mark
 */
export function readFilters(instead = {}) {
  const texts = Map.groupBy(parameterControls().filter(isGiven), ({ dataset }) => dataset.parameter ?? '');
  const parameters = new Map(
    [...texts].map(([name, controls]) => [name, controls.map(({ value }) => value.trim()).join(',')]),
  );
  for (const [name, value] of Object.entries(instead)) parameters.set(name, value);
  return [...parameters]
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name}=${encodeURIComponent(value).replaceAll('%2C', ',')}`)
    .join('&');
}

/** The text of one control, such as the first day that is asked for. @param {string} parameter */
export function filterText(parameter) {
  return find(`#${parameter}`, HTMLInputElement).value;
}

export function clearFilters() {
  for (const control of parameterControls()) {
    if (control instanceof HTMLSelectElement) continue;
    if (control.type === 'checkbox') control.checked = false;
    else control.value = '';
  }
  find('#picked-week').textContent = '';
}

/** Lets the user pick a week, which adds its number, and its year to the years: without years, weeks mean those from today on. */
export function offerWeeks() {
  const picker = find('#week-picker', HTMLInputElement);
  // Browsers that know no weeks show a text field. There, a day of the week is picked.
  if (picker.type !== 'week') {
    picker.type = 'date';
    find('label[for="week-picker"]').textContent = 'Pick a day of it';
  }
  picker.addEventListener('change', () => {
    const picked = readWeek(picker.value);
    if (picked === undefined) return;
    addToList('weeks', picked.week);
    addToList('years', picked.year);
    const [monday, sunday] = daysOfWeek(picked);
    find('#picked-week').textContent = `Week ${picked.week} of ${picked.year}: ${monday} to ${sunday}.`;
  });
}

/**
 * Offers the groups of these shifts, beside those that were seen before.
 *
 * @param {readonly { readonly group: { readonly id: number, readonly name: string } }[]} shifts
 */
export function offerGroups(shifts) {
  const list = find('#known-groups');
  for (const { group } of shifts) {
    const value = String(group.id);
    if (list.querySelector(`input[value="${value}"]`) !== null) continue;
    const toggle = makeToggle({ type: 'checkbox', 'data-parameter': 'group_ids', value }, group.name);
    const next = [...list.children].find((other) => (other.textContent ?? '').localeCompare(group.name) > 0);
    list.insertBefore(toggle, next ?? null);
  }
  find('#group_ids-label').textContent = list.children.length > 0 ? 'Others, by id' : 'Ids';
}

/** Groups of another account are not offered. */
export function forgetGroups() {
  find('#known-groups').replaceChildren();
}

/**
 * Shows each problem beside the control that it is about, and takes away those of before.
 *
 * @param {ReadonlyMap<string, string>} problems
 */
export function showProblems(problems) {
  for (const field of document.querySelectorAll('[data-problem-of]')) {
    const name = field.getAttribute('data-problem-of') ?? '';
    const problem = problems.get(name);
    const id = `${name}-problem`;
    field.querySelector(`#${id}`)?.remove();
    if (problem !== undefined) field.append(make('p', { id, class: 'field-problem' }, problem));
    for (const control of field.querySelectorAll('input, select'))
      describe(control, id, problem !== undefined);
  }
}

/** The first control that has a problem. @returns {HTMLElement | null} */
export function firstWrongControl() {
  return document.querySelector('[aria-invalid="true"]');
}

/**
 * @param {Element} control
 * @param {string} id
 * @param {boolean} isWrong
 */
function describe(control, id, isWrong) {
  const others = (control.getAttribute('aria-describedby') ?? '')
    .split(' ')
    .filter((one) => one && one !== id);
  const ids = isWrong ? [...others, id] : others;
  if (ids.length > 0) control.setAttribute('aria-describedby', ids.join(' '));
  else control.removeAttribute('aria-describedby');
  if (isWrong) control.setAttribute('aria-invalid', 'true');
  else control.removeAttribute('aria-invalid');
}

/** @returns {Control[]} */
function parameterControls() {
  return /** @type {Control[]} */ ([...form.elements].filter((one) => one.hasAttribute('data-parameter')));
}

/** @param {Control} control */
function isGiven(control) {
  if (control instanceof HTMLInputElement && control.type === 'checkbox') return control.checked;
  return control.value.trim() !== '';
}

/**
 * @param {string} parameter
 * @param {number} value
 */
function addToList(parameter, value) {
  const control = find(`#${parameter}`, HTMLInputElement);
  const values = control.value
    .split(',')
    .map((text) => text.trim())
    .filter((text) => text !== '');
  if (!values.includes(String(value))) control.value = [...values, value].join(', ');
}
