/**
 * The explorer: asks the API for what the controls say, and shows the answer. Account and token live in the two fields and in variables
 * here, and nowhere else: not in an address, not in storage, not in a script.
 */

import { refreshCalendar, showCalendar, showFacts } from './answer.ts';
import { enableCopying, enableTabs, find } from './dom.ts';
import {
  clearFilters,
  contradictions,
  firstWrongControl,
  forgetGroups,
  isUnpublishedAskedFor,
  offerGroups,
  offerWeeks,
  readFilters,
  showProblems,
  writeFilters,
} from './filters.ts';
import {
  type Access,
  type ApiAnswer,
  askListing,
  countUnpublished,
  type Listing,
  problemsByControl,
} from './listing.ts';
import { followListing, type ShownListing } from './live.ts';
import { offerLanguages, requestUrl, showRequest } from './request.ts';
import { makeTable } from './shift-table.ts';

/** Several changes in a row, such as the digits of a date, are one request. */
const PAUSE_MS = 300;
/** As in the style sheet: the result is below the filters. */
const ONE_COLUMN = '(max-width: 60rem)';
/** A result is in sight when its first rows are. */
const MIN_SEEN_PX = 120;
const UNREACHABLE = 'The service could not be reached. Check that it runs, and try again.';
const CLOCK = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });

// Examples of the reference open in this tab, where account and token are.
window.name = 'explorer';
const form = find('#request', HTMLFormElement);
const accountField = find('#account', HTMLInputElement);
const tokenField = find('#token', HTMLInputElement);
const problem = find('#problem');
const status = find('#status');
const unpublished = find('#unpublished');
const paging = find('#paging');
const liveSwitch = find('#live', HTMLInputElement);
const liveStatus = find('#live-status');

let access: Access | undefined;
let answer: ApiAnswer | undefined;
let shown: ShownListing | undefined;
let page = 1;
/** Whether the calendar has to show another listing, or a later state of the one that it shows. */
let calendarDue: 'no' | 'later' | 'other' = 'no';
let running = new AbortController();
let listening = new AbortController();
let timer = 0;

/** What is asked for, without the question mark. */
function search() {
  return readFilters({ page: page === 1 ? '' : String(page) });
}

/** Asks for the page that the controls stand for, and gives up whatever was asked before. */
async function run(): Promise<boolean> {
  clearTimeout(timer);
  showRequest(search());
  if (access === undefined) return false;
  running.abort();
  listening.abort();
  const asked = new AbortController();
  running = asked;
  // Read now, because the controls may say something else when the answer comes.
  const question = {
    access,
    search: search(),
    withUnpublished: isUnpublishedAskedFor()
      ? undefined
      : readFilters({ page: '', per_page: '1', published: 'false' }),
  };
  find('#result').setAttribute('aria-busy', 'true');
  try {
    answer = await askListing(access, question.search, asked.signal);
    find('#introduction').hidden = true;
    unpublished.textContent = '';
    calendarDue = 'other';
    shown = answer.listing && { ...question, tag: tagOf(answer), news: 'Listening for changes' };
    showAnswer(answer);
    if (shown !== undefined) tellUnpublished(shown, answer, asked.signal);
    listen();
  } catch {
    if (asked.signal.aborted) return false;
    find('#introduction').hidden = true;
    refuse(UNREACHABLE, new Map());
  }
  find('#result').removeAttribute('aria-busy');
  return true;
}

async function runAndReveal() {
  if (await run()) revealResult();
}

/** Says how many more shifts match, unless something else is asked for meanwhile. */
async function tellUnpublished(listing: ShownListing, counted: ApiAnswer, signal: AbortSignal) {
  const { access: asker, withUnpublished } = listing;
  if (withUnpublished === undefined) return;
  // The answer is shown without the count if that cannot be had.
  const count = await countUnpublished(asker, withUnpublished, counted, signal).catch(() => 0);
  if (signal.aborted) return;
  unpublished.textContent =
    count === 0 ? '' : `${count} more ${count === 1 ? 'is' : 'are'} not published yet`;
}

/** Listens to the listing that is shown, if that is wanted, until something else is asked for. */
function listen() {
  listening.abort();
  listening = new AbortController();
  if (!liveSwitch.checked || shown === undefined) liveStatus.textContent = '';
  else if (!document.hidden) followListing(shown, { say, renew, refuse: run }, listening.signal);
}

function say(sentence: string) {
  if (liveStatus.textContent !== sentence) liveStatus.textContent = sentence;
}

/** Shows a later state in the place of the one that is shown, without a sign of waiting. */
function renew(listing: ShownListing, later: ApiAnswer) {
  answer = later;
  listing.tag = tagOf(later);
  listing.news = `Changed at ${CLOCK.format(new Date())}`;
  if (calendarDue === 'no') calendarDue = 'later';
  showAnswer(later);
  tellUnpublished(listing, later, listening.signal);
}

function tagOf({ headers }: ApiAnswer) {
  return headers.get('shiftfeed-listing');
}

/** Asks for the first page of what the controls say now, once they stay like that for a moment. */
function runSoon() {
  page = 1;
  listening.abort();
  showRequest(search());
  clearTimeout(timer);
  timer = setTimeout(runAndRevealUnlessTyping, PAUSE_MS);
}

/** Above the result, a field that is typed into must not leave the window between two keys. */
async function runAndRevealUnlessTyping() {
  const isTyping = document.activeElement?.matches('input:not([type="checkbox"])');
  if (isTyping && matchMedia(ONE_COLUMN).matches) await run();
  else await runAndReveal();
}

/** Scrolls to the result if it is out of sight, unless a sentence beside a control says what is wrong. The focus stays where it is. */
function revealResult() {
  const { top, bottom } = find('.bar').getBoundingClientRect();
  const isInSight = top >= 0 && bottom + MIN_SEEN_PX <= innerHeight;
  if (isInSight || firstWrongControl() !== null) return;
  const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches;
  find('#result').scrollIntoView({ behavior: isStill ? 'instant' : 'smooth', block: 'start' });
}

/** Takes account and token from their fields, and asks for a page. */
async function open(asked = 1) {
  const account = accountField.value.trim();
  const token = tokenField.value.trim();
  const missing: Map<string, string> = new Map();
  if (account === '') missing.set('account', 'Enter the name of an account.');
  if (!/^[\x21-\x7e]+$/.test(token))
    missing.set('token', 'Enter a token: letters, digits and signs without spaces.');
  if (missing.size > 0) {
    // The fields no longer stand for what is shown, nor for what would be asked when a filter changes.
    access = undefined;
    clearTimeout(timer);
    running.abort();
    listening.abort();
    find('#result').removeAttribute('aria-busy');
    refuse([...missing.values()].join(' '), missing);
    return firstWrongControl()?.focus();
  }
  if (account !== access?.account) forgetGroups();
  access = { account, token };
  page = asked;
  await run();
  firstWrongControl()?.focus();
}

function showAnswer(given: ApiAnswer) {
  const { listing, error } = given;
  showFacts(find('#facts'), given);
  if (listing === undefined) return showRefusal(error ?? '', problemsByControl(given.status, error ?? ''));
  showProblems(contradictions());
  problem.hidden = true;
  const { shifts, meta } = listing;
  offerGroups(shifts);
  find('#panel-table').replaceChildren(...(shifts.length === 0 ? [] : [makeTable(shifts)]));
  find('#json').textContent = JSON.stringify(listing, null, 2);
  showPaging(meta);
  showChosenTab();
}

/** A calendar has no pages, and asks for its shifts when it is seen. */
function showChosenTab() {
  const isCalendar = find('#tab-calendar').getAttribute('aria-selected') === 'true';
  const listing = answer?.listing;
  paging.hidden = isCalendar || listing === undefined || listing.meta.total_pages === 0;
  unpublished.hidden = isCalendar;
  if (listing === undefined) return;
  status.textContent = isCalendar
    ? 'All shifts that match on the days of the calendar, past ones, too'
    : summarize(listing);
  if (!isCalendar || calendarDue === 'no' || access === undefined) return;
  const panel = find('#panel-calendar');
  const showing =
    calendarDue === 'later' ? refreshCalendar(panel) : showCalendar(panel, access, listing.shifts[0]?.date);
  calendarDue = 'no';
  showing.catch(() => {
    if (answer?.listing === listing) refuse(UNREACHABLE, new Map());
  });
}

/** Shows what is wrong when the API has not answered. */
function refuse(sentence: string, problems: ReadonlyMap<string, string>) {
  answer = undefined;
  find('#facts').hidden = true;
  showRefusal(sentence, problems);
}

function showRefusal(sentence: string, problems: ReadonlyMap<string, string>) {
  shown = undefined;
  liveStatus.textContent = '';
  showProblems(problems);
  problem.textContent = sentence;
  problem.hidden = false;
  status.textContent = '';
  unpublished.textContent = '';
  paging.hidden = true;
  for (const panel of ['#panel-table', '#panel-calendar']) find(panel).replaceChildren();
  find('#json').textContent = answer?.text ?? '';
}

function summarize({ shifts, meta }: Listing) {
  if (meta.total === 0) return 'No shifts match.';
  if (shifts.length === 0) return `There are only ${meta.total_pages} pages.`;
  const first = (meta.page - 1) * meta.per_page + 1;
  const last = first + shifts.length - 1;
  return `${first === last ? first : `${first}–${last}`} of ${meta.total} ${meta.total === 1 ? 'shift' : 'shifts'}`;
}

function showPaging({ page: shown, total_pages: last }: Listing['meta']) {
  find('#page-number').textContent = `Page ${shown} of ${last}`;
  const targets = { first: 1, previous: shown - 1, next: shown + 1, last };
  for (const [name, target] of Object.entries(targets)) {
    const button = find(`[data-page="${name}"]`, HTMLButtonElement);
    // A button that is disabled would lose the focus while somebody pages on.
    button.setAttribute('aria-disabled', String(target === shown || target < 1 || target > last));
    button.dataset.target = String(target);
  }
}

/**
 * Whoever opens an address with account and token, or with parameters of the API, finds them filled in. They leave the address at
 * once.
 */
function takeFragment() {
  const {
    account,
    token,
    page: asked,
    ...filters
  } = Object.fromEntries(
    [...new URLSearchParams(location.hash.slice(1))].filter(([, value]) => value !== ''),
  );
  const hasFilters = asked !== undefined || Object.keys(filters).length > 0;
  if (account === undefined && token === undefined && !hasFilters) return;
  history.replaceState(null, '', location.href.split('#')[0]);
  if (account !== undefined || token !== undefined) {
    accountField.value = account ?? '';
    tokenField.value = token ?? '';
  }
  if (hasFilters) writeFilters(filters);
  page = Number(asked ?? 1);
  showRequest(search());
  if (accountField.value && tokenField.value) open(page).then(revealResult);
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  open().then(revealResult);
});
form.addEventListener('input', () => showRequest(search()));
document.addEventListener('change', ({ target }) => {
  if (target instanceof Element && target.matches('[data-parameter]')) runSoon();
});
find('#clear').addEventListener('click', () => {
  clearFilters();
  page = 1;
  runAndReveal();
});
find('#show-token').addEventListener('click', ({ currentTarget }) => {
  const isShown = !tokenField.classList.toggle('secret');
  (currentTarget as HTMLElement).setAttribute('aria-pressed', String(isShown));
});
paging.addEventListener('click', ({ target }) => {
  const button = target instanceof Element ? target.closest('button') : null;
  if (button === null || button.getAttribute('aria-disabled') === 'true') return;
  page = Number(button.dataset.target);
  run();
});
liveSwitch.addEventListener('change', listen);
document.addEventListener('visibilitychange', listen);
find('#reveal').addEventListener('change', () => showRequest(search()));

const COPIES: Record<string, () => string> = {
  address: () => requestUrl(search()).href,
  json: () => find('#json').textContent ?? '',
  code: () => find('#code').textContent ?? '',
};
for (const [name, textOf] of Object.entries(COPIES)) enableCopying(find(`[data-copy="${name}"]`), textOf);

enableTabs(find('[role="tablist"]'), showChosenTab);
offerLanguages(() => showRequest(search()));
offerWeeks(runSoon);
// What scrolls can be scrolled by keyboard.
for (const section of document.querySelectorAll('.scroll')) section.setAttribute('tabindex', '0');
// On a phone, the shifts come first.
if (matchMedia(ONE_COLUMN).matches) find('#filters', HTMLDetailsElement).open = false;
addEventListener('hashchange', takeFragment);
showRequest(search());
takeFragment();
