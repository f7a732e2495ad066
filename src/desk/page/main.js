/** The desk: who is signed in, the tabs, and files that are dropped anywhere. */

import { ask } from './ask.js';
import { attempt, button, complain, hush, showSession } from './controls.js';
import { enableTabs, find, make } from './dom.js';
import { openHistory } from './history.js';
import { openImport, takeFiles } from './import.js';
import { openTokens } from './secrets.js';
import { openSettings } from './settings.js';
import { openShifts } from './shifts.js';
import { showSignIn, takeKey } from './sign-in.js';
import { TEXTS } from './texts.js';

/** @import { Session } from './ask.js' */

/** What each tab shows whenever it is chosen. */
const TABS = {
  import: openImport,
  history: openHistory,
  shifts: openShifts,
  tokens: openTokens,
  settings: openSettings,
};
/** @type {(keyof typeof TABS)[]} */
const OWNERS_TABS = ['tokens', 'settings'];

async function open() {
  /** @type {Session} */
  const session = await ask('GET', 'api/session');
  const { name, role } = session;
  showSession(session);
  find('#who').replaceChildren(
    make('span', {}, `${name}, ${TEXTS.roles[role]}`),
    button(TEXTS.signOut, signOut),
  );
  const names = /** @type {(keyof typeof TABS)[]} */ (Object.keys(TABS));
  makeTabs(
    names.filter((tab) => role === 'owner' || !OWNERS_TABS.includes(tab)),
    session,
  );
  listenForFiles();
}

async function signOut() {
  await ask('DELETE', 'api/session');
  showSignIn(TEXTS.signedOut);
}

/**
 * The fragment of the address remembers the tab.
 *
 * @param {readonly (keyof typeof TABS)[]} names
 * @param {Session} session
 */
function makeTabs(names, session) {
  const tablist = find('[role="tablist"]');
  for (const name of names) {
    const state = { 'aria-controls': `panel-${name}`, 'aria-selected': 'false' };
    tablist.append(
      make('button', { type: 'button', role: 'tab', id: `tab-${name}`, ...state }, TEXTS.tabs[name]),
    );
    const panel = { role: 'tabpanel', id: `panel-${name}`, 'aria-labelledby': `tab-${name}`, hidden: '' };
    find('main').append(make('div', { class: 'panel', ...panel }));
  }
  const named = () => names.find((name) => location.hash.slice(1).split('/')[0] === name);
  enableTabs(tablist, (tab) => {
    const name = /** @type {keyof typeof TABS} */ (tab.id.slice('tab-'.length));
    if (named() !== name) history.replaceState(null, '', `#${name}`);
    hush();
    const panel = find(`#panel-${name}`);
    attempt(() => TABS[name](panel, session));
  });
  const follow = () => takeKey() || find(`#tab-${named() ?? 'import'}`).click();
  addEventListener('hashchange', follow);
  follow();
}

function listenForFiles() {
  const overlay = make('div', { class: 'drop', hidden: '' }, make('p', {}, TEXTS.file.dropHere));
  document.body.append(overlay);
  const hasFiles = (/** @type {DragEvent} */ { dataTransfer }) =>
    dataTransfer?.types.includes('Files') ?? false;
  for (const name of /** @type {const} */ (['dragenter', 'dragover'])) {
    addEventListener(name, (event) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      overlay.hidden = false;
    });
  }
  addEventListener('dragleave', ({ relatedTarget }) => {
    if (relatedTarget === null) overlay.hidden = true;
  });
  addEventListener('drop', (event) => {
    overlay.hidden = true;
    if (!hasFiles(event)) return;
    event.preventDefault();
    find('#tab-import').click();
    takeFiles(event.dataTransfer?.files);
  });
}

/** Until the desk has told who is signed in, there is nothing else to show. */
function begin() {
  hush();
  open().catch((error) => complain(error, begin));
}

if (!takeKey()) begin();
