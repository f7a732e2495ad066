/** Every text of the desk's page, in English. */

import type { Preview } from '../../import/upload.ts';
import type { Tally } from '../../store/records.ts';

const counted = (count: number, one: string, several: string = `${one}s`) =>
  `${count.toLocaleString('en-GB')} ${count === 1 ? one : several}`;

const NOUNS: Readonly<Record<string, string>> = {
  groups: 'Groups',
  locations: 'Locations',
  people: 'People',
};

/** Such as 40 added, 2 changed, 1 removed, 300 unchanged. */
function tallied({ added, changed, removed, unchanged }: Tally) {
  return `${added} added, ${changed} changed, ${removed} removed, ${unchanged} unchanged`;
}

function nonzero({ added, changed, removed }: Tally) {
  return Object.entries({ added, changed, removed })
    .filter(([, count]) => count > 0)
    .map(([verb, count]) => `${count} ${verb}`)
    .join(', ');
}

/** As many shifts of a record are counted. */
const MANY = 1_000;

/** What a cell became that was not read. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  'left out': 'left out',
  above: 'left out: above the headings',
  between: 'left out: in between',
  total: 'left out: a total',
  'no shifts': 'left out: no shifts',
  'crossed out': 'left out: crossed out',
};

export const TEXTS = {
  tabs: {
    import: 'Import',
    history: 'History',
    shifts: 'Shifts',
    tokens: 'Tokens',
    settings: 'Settings',
  },
  roles: { planner: 'planner', owner: 'owner' },
  signOut: 'Sign out',
  signedOut: 'You have signed out.',
  tryAgain: 'Try again',
  unreachable: 'The desk could not be reached. Check your connection, and try again.',
  unanswered: 'The desk did not answer in time. It may be done nevertheless: load the page again, and look.',
  strangeAnswer: (status: number) =>
    `The answer is ${status} and not one of the desk. Try again in a moment.`,
  unexpected: 'Something went wrong in this page. Reload it, and try again.',
  action: 'Action',
  cancel: 'Cancel',
  copy: 'Copy',
  saved: 'Saved.',
  loading: 'Loading …',
  showMore: 'Show more',
  never: 'never',
  none: 'There are none yet.',
  from: 'from',
  to: 'to',

  signIn: {
    title: 'Sign in',
    how: 'To open this desk, you need a link that was made for you. Ask the owner of your plan for an invitation.',
    operator: 'Whoever runs Shiftfeed makes one with',
    command: 'shiftfeed desk invite ACCOUNT --name "Your name"',
    progress: 'Signing in …',
    unreachable: 'The desk could not be reached, so you are not signed in yet.',
    refused: 'This link is not valid, or no longer.',
    another: 'Another account',
    stay: 'Stay signed in',
    instead: 'Use the link',
  },

  file: {
    label: 'Workbook, CSV or JSON file',
    choose: 'Choose a file',
    drop: 'or drop it anywhere on this page. You see what would change before anything is imported.',
    dropHere: 'Drop the file to see what it would change',
    one: 'Drop one file at a time.',
    tooLarge: 'This file has more than 100 MB, which is the most that can be read.',
    isNew: (name: string) => `The account ${name} has no shifts yet. The first import makes it.`,
    sending: (name: string, percent: number) => `Sending ${name}: ${percent} %`,
    stalled: 'Sending the file has stopped. Check your connection, and choose the file again.',
    gone: 'This import is no longer there: a file is kept for an hour, and until the desk stops. Choose the file again.',
    waiting: (name: string, ahead: number) => `Waiting to read ${name}: ${ahead} before it`,
    reading: (name: string) => `Reading ${name} …`,
    importing: (name: string) => `Importing ${name} …`,
    failed: 'Not read',
    discard: 'Discard',
    discarded: 'Discarded. Nothing was imported.',
  },

  questions: {
    title: 'Questions',
    intro: (name: string) =>
      `${name} can be read in more than one way, or lacks something that only you can know. Your answers are kept for files with the same headings.`,
    arePeople: 'Are these people?',
    arePeopleHint:
      'Each of these new names is a known one and more words, or unlike the others. Change what is something else.',
    other: 'Something else',
    readAgain: 'Read again',
    unanswered: (labels: readonly string[]) => `Still to be answered: ${labels.join(', ')}.`,
    answers: 'Answers',
    changeAnswers: 'Change answers',
    kept: (time: string) =>
      `A file that is laid out like this one was imported on ${time}. What was answered then is used again.`,
    isKept: 'kept',
    alsoWrong: 'This has to be corrected in the file:',
  },

  mistakes: {
    title: 'Mistakes',
    nothing: 'Correct the file, and choose it again.',
    more: (count: number) => `and ${count.toLocaleString('en-GB')} more`,
    gap: (from: number, to: number) =>
      from === to ? `row ${from} is not shown here` : `rows ${from} to ${to} are not shown here`,
    row: 'Row',
    sheet: (name: string) => `Sheet ${name}`,
    asRead: 'The sheet as it was read',
    legend:
      'Above each column stands what it was read as. What was left out is in italics, and the reason beside it.',
    leftOut: LEFT_OUT['left out'] ?? '',
    became: (as: string) => LEFT_OUT[as] ?? as.replaceAll('_', ' '),
  },

  preview: {
    title: 'Preview',
    changedSince:
      'Nothing was imported: the account has changed since the last preview. This is the new one.',
    import: 'Import',
    tallied,
    /** Such as: Groups: 2 added. People: 1 added. */
    others: (counts: Preview['counts']) =>
      (['groups', 'locations', 'people'] as const)
        .map((table) => [NOUNS[table], nonzero(counts[table])])
        .filter(([, tally]) => tally !== '')
        .map(([noun, tally]) => `${noun}: ${tally}.`)
        .join(' '),
    account: { added: 'The account is new.', changed: 'Settings of the account change.', unchanged: '' },
    choose: 'Choose what becomes of the shifts that are not in the file.',
    how: 'How it was read',
    warnings: 'Warnings',
    newNames: 'New names',
    unlisted: 'Not listed yet',
    changes: 'Changes',
    none: 'The file changes nothing.',
    records: 'Groups, locations and people',
    count: (count: number) => counted(count, 'change'),
    calendar: 'The calendar as it will be',
    kinds: { added: 'Added', changed: 'Changed', removed: 'Removed' },
    tables: { shifts: '', groups: 'group', locations: 'location', people: 'person' },
    becomes: 'becomes',
    empty: 'nothing',
  },

  calendar: {
    cut: 'There are more shifts on these days than the calendar can show.',
    unpublished: 'unpublished',
    inactive: 'inactive',
    unpublishedBefore: (date: string) => `Not published before ${date}`,
    inactiveGroup: 'Inactive group',
  },

  done: {
    title: 'Imported',
    undo: 'Undo',
    undoing: 'Taking the import back …',
    undone: 'Taken back',
  },

  history: {
    title: 'History',
    intro: (zone: string) =>
      `What was imported during the last year, the newest first. Times are those of ${zone}.`,
    none: 'Nothing has been imported yet.',
    columns: ['When', 'What', 'Who', 'File', 'Shifts', ''],
    actions: { import: 'Import', undo: 'Undo' },
  },

  shifts: {
    title: 'Shifts',
    table: 'As a table',
    calendar: 'As a calendar',
    none: 'There are no shifts on these days.',
  },

  secrets: {
    states: { live: 'Live', expired: 'Expired', revoked: 'Revoked', asleep: 'Asleep' },
    role: 'Role',
    expires: 'Last day',
    optional: 'optional',
    unnamed: 'Say in Name who is invited.',
    revoke: 'Revoke',
    asleep: 'This account is not premium, so its tokens do not work. Whoever runs Shiftfeed can change that.',
    tokens: {
      title: 'Tokens',
      intro: 'Programs that read the shifts of this account need a token, such as the one of your website.',
      columns: ['Label', 'Begins with', 'State', 'Since', 'Last use', 'Ends', ''],
      name: 'Label',
      create: 'New token',
      secret: 'Token',
      once: 'This token is shown once. Copy it now: nobody can see it again.',
      sure: (name: string) => `Revoke the token ${name}? Programs that use it can no longer read the shifts.`,
    },
    keys: {
      title: 'Invitations',
      intro: 'Whoever has such a link can open this desk: a planner imports, an owner may do everything.',
      columns: ['Name', 'Role', 'State', 'Since', 'Last use', 'Ends', ''],
      name: 'Name',
      create: 'Invite',
      secret: 'Link',
      once: 'This link is shown once. Send it to the one whom it is for.',
      sure: (name: string) =>
        `Revoke the key of ${name}? Their next click ends at the page that says Sign in.`,
    },
  },

  settings: {
    account: 'Account',
    name: 'Name',
    zone: 'Time zone',
    sort: 'Shifts of a day are sorted by',
    sorts: { time: 'time', group: 'group' },
    save: 'Save',
    groups: 'Groups',
    locations: 'Locations',
    people: 'People',
    active: 'Active',
    private: 'Private',
    address: 'Address',
    shifts: 'Shifts',
    countOf: (shifts: number) => (shifts < MANY ? String(shifts) : '1,000 or more'),
    find: 'Find',
    forget: 'Forget',
    sureToForget: (name: string, shifts: number) =>
      `Forget ${name}? ${shifts === 1 ? 'Their shift stays, as an open one' : `Their ${shifts < MANY ? counted(shifts, 'shift') : '1,000 or more shifts'} stay, as open ones`}. This cannot be undone.`,
    forgotten: (name: string) => `${name} is forgotten.`,
  },
};
