/** The desk: who is signed in, the tabs, and files that are dropped anywhere. */

import { ask, type Session } from './ask.ts';
import { attempt, button, complain, hush, showSession } from './controls.ts';
import { enableTabs, find, make } from './dom.ts';
import { openHistory } from './history.ts';
import { openImport, takeFiles } from './import.ts';
import { openTokens } from './secrets.ts';
import { openSettings } from './settings.ts';
import { openShifts } from './shifts.ts';
import { showSignIn, takeKey } from './sign-in.ts';
import { TEXTS } from './texts.ts';

/** What each tab shows whenever it is chosen. */
const TABS = {
  import: openImport,
  history: openHistory,
  shifts: openShifts,
  tokens: openTokens,
  settings: openSettings,
};
const OWNERS_TABS: (keyof typeof TABS)[] = ['tokens', 'settings'];

async function open() {
  const session: Session = await ask('GET', 'api/session');
  const { name, role } = session;
  showSession(session);
  find('#who').replaceChildren(
    make('span', {}, `${name}, ${TEXTS.roles[role]}`),
    button(TEXTS.signOut, signOut),
  );
  const names = Object.keys(TABS) as (keyof typeof TABS)[];
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

/** The fragment of the address remembers the tab, and Back leads to the one before. */
function makeTabs(names: readonly (keyof typeof TABS)[], session: Session) {
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
    const name = tab.id.slice('tab-'.length) as keyof typeof TABS;
    if (location.hash === '') history.replaceState(null, '', `#${name}`);
    else if (named() !== name) history.pushState(null, '', `#${name}`);
    hush();
    const panel = find(`#panel-${name}`);
    attempt(() => TABS[name](panel, session));
  });
  const follow = () => takeKey() || find(`#tab-${named() ?? 'import'}`).click();
  addEventListener('popstate', follow);
  follow();
}

function listenForFiles() {
  const overlay = make('div', { class: 'drop', hidden: '' }, make('p', {}, TEXTS.file.dropHere));
  document.body.append(overlay);
  const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes('Files') ?? false;
  for (const name of ['dragenter', 'dragover'] as const) {
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
