/** The controls of the filters: what they ask for, the groups that they offer, and what the API says is wrong with them. */

import { find, make, makeToggle } from './dom.ts';
import { daysOfWeek, readWeek } from './picked-week.ts';

export type Control = HTMLInputElement | HTMLSelectElement;

/** The API knows no earlier one. Whoever types 2026 passes the years 2, 20 and 202. */
const FIRST_YEAR = 1000;

const form = find('#request', HTMLFormElement);
const weekPicker = find('#week-picker', HTMLInputElement);
/** What the picked week has put into the lists of weeks and years. */
const ofPickedWeek: Map<string, string> = new Map();

/** The query string that the controls stand for. */
export function readFilters(instead: Readonly<Record<string, string>> = {}): string {
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

/**
 * Lets the controls stand for these parameters and for nothing else. A value that no control can have gets one that nobody sees: the
 * request that is shown has it, and an answer of the API.
 */
export function writeFilters(parameters: Readonly<Record<string, string>>) {
  clearFilters();
  for (const [parameter, value] of Object.entries(parameters)) {
    const controls = parameterControls().filter(({ dataset }) => dataset.parameter === parameter);
    if (!canWrite(controls, value))
      form.append(make('input', { type: 'hidden', 'data-parameter': parameter, value }));
  }
}

function canWrite(controls: readonly Control[], value: string) {
  const text = controls.find((control) => !isBox(control));
  if (text !== undefined) {
    text.value = value;
    if (text instanceof HTMLSelectElement && text.value !== value)
      text.add(new Option(value, value, false, true));
    return text.value === value;
  }
  const values = value.split(',');
  const boxes = controls.filter(isBox).filter((box) => values.includes(box.value));
  if (boxes.length < values.length) return false;
  for (const box of boxes) box.checked = true;
  return true;
}

/** The text of one control, such as the first day that is asked for. */
export function filterText(parameter: string) {
  return find(`#${parameter}`, HTMLInputElement).value;
}

export function isUnpublishedAskedFor() {
  return find('[data-parameter="published"]', HTMLInputElement).checked;
}

/** What the API accepts, and can have no answer. */
export function contradictions(): Map<string, string> {
  const from = filterText('date_from');
  const to = filterText('date_to');
  const isReversed = from !== '' && to !== '' && from > to;
  return new Map(isReversed ? [['date_to', 'From lies after To, so there is no day between them.']] : []);
}

export function clearFilters() {
  for (const control of parameterControls()) {
    if (control instanceof HTMLSelectElement) continue;
    if (control.type === 'hidden') control.remove();
    else if (isBox(control)) control.checked = false;
    else control.value = '';
  }
  weekPicker.value = '';
  takePickedWeekBack();
}

/**
 * Lets the user pick a week, which adds its number to the weeks, and its year to the years: without years, weeks mean those from today on.
 * Another week takes its place, because browsers report each digit that is typed as a week of its own.
 */
export function offerWeeks(onPicked: () => void) {
  // Browsers that know no weeks show a text field. There, a day of the week is picked.
  if (weekPicker.type !== 'week') {
    weekPicker.type = 'date';
    weekPicker.max = '9999-12-31';
    find('label[for="week-picker"]').textContent = 'Pick a day of it';
  }
  weekPicker.addEventListener('change', () => {
    const picked = readWeek(weekPicker.value);
    const isCleared = weekPicker.value === '' && !weekPicker.validity.badInput;
    const isUnfinished = picked === undefined ? !isCleared : picked.year < FIRST_YEAR;
    if (isUnfinished) return;
    takePickedWeekBack();
    if (picked !== undefined) takePickedWeek(picked);
    onPicked();
  });
}

function takePickedWeek(picked: { readonly year: number; readonly week: number }) {
  const added = { weeks: String(picked.week), years: String(picked.year) };
  for (const [parameter, value] of Object.entries(added)) {
    const values = readList(parameter);
    if (values.includes(value)) continue;
    writeList(parameter, [...values, value]);
    ofPickedWeek.set(parameter, value);
  }
  const [monday, sunday] = daysOfWeek(picked);
  find('#picked-week').textContent = `Week ${picked.week} of ${picked.year}: ${monday} to ${sunday}.`;
}

/** What the user wrote into the lists stays. */
function takePickedWeekBack() {
  for (const [parameter, value] of ofPickedWeek)
    writeList(
      parameter,
      readList(parameter).filter((one) => one !== value),
    );
  ofPickedWeek.clear();
  find('#picked-week').textContent = '';
}

/** Offers the groups of these shifts, beside those that were seen before. */
export function offerGroups(
  shifts: readonly { readonly group: { readonly id: number; readonly name: string } }[],
) {
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

/** Shows each problem beside the control that it is about, and takes away those of before. */
export function showProblems(problems: ReadonlyMap<string, string>) {
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

/** The first control that has a problem. */
export function firstWrongControl(): HTMLElement | null {
  return document.querySelector('[aria-invalid="true"]');
}

function describe(control: Element, id: string, isWrong: boolean) {
  const others = (control.getAttribute('aria-describedby') ?? '')
    .split(' ')
    .filter((one) => one && one !== id);
  const ids = isWrong ? [...others, id] : others;
  if (ids.length > 0) control.setAttribute('aria-describedby', ids.join(' '));
  else control.removeAttribute('aria-describedby');
  control.ariaInvalid = isWrong ? 'true' : null;
}

function parameterControls(): Control[] {
  return [...form.elements].filter((one) => one.hasAttribute('data-parameter')) as Control[];
}

function isGiven(control: Control) {
  return isBox(control) ? control.checked : control.value.trim() !== '';
}

function isBox(control: Control): control is HTMLInputElement & { type: 'checkbox' } {
  return control.type === 'checkbox';
}

function readList(parameter: string) {
  return filterText(parameter)
    .split(',')
    .map((text) => text.trim())
    .filter((text) => text !== '');
}

function writeList(parameter: string, values: readonly string[]) {
  find(`#${parameter}`, HTMLInputElement).value = values.join(', ');
}
