/** What the groups, locations and people of the accounts are called, and what their remarks say. */

export const GROUPS = [
  ...[
    'Kitchen',
    'Service',
    'Bar',
    'Reception',
    'Housekeeping',
    'Terrace',
    'Night desk',
    'Conference',
    'Garden',
    'Pool',
  ],
  ...[
    'Maintenance',
    'Deliveries',
    'Laundry',
    'Café',
    'Ticket office',
    'Cloakroom',
    'First aid',
    'Stage',
    'Security',
    'Boats',
  ],
];

const PLACES = [
  'Harbour',
  'Old Mill',
  'Lighthouse',
  'Market Hall',
  'North Pier',
  'Station',
  'Orangery',
  'Quarry',
];
const PARTS = ['ground floor', 'upper floor', 'east wing', 'courtyard', 'annexe'];

export const LOCATIONS = PLACES.flatMap((place, i) =>
  PARTS.map((part, j) => ({
    name: `${place}, ${part}`,
    address: `${place} Road ${10 * i + j + 1}, 10${i}0 Seaborough`,
  })),
);

const FIRST_NAMES = [
  ...['Noor', 'Inès', 'Jonas', 'Mirela', 'Tomás', 'Aoife', 'Kwame', 'Yuki', 'Lars', 'Priya'],
  ...['Zoë', 'Mateo', 'Hanna', 'Omar', 'Elif', 'Piotr', 'Chiara', 'Bram', 'Sanne', 'Dmitri'],
];
const LAST_NAMES = [
  ...['Vermeer', 'Okafor', 'Lindqvist', 'Moreau', 'Castellanos', 'Brennan', 'Yamamoto', 'Novak'],
  ...['de Wit', 'Haddad', 'Petersen', 'Kowalska', 'Rossi', 'Iyer', 'Smith'],
];

export const PEOPLE = FIRST_NAMES.flatMap((first) => LAST_NAMES.map((last) => `${first} ${last}`));

export const REMARKS = [
  'Bring the spare keys',
  'Starts at the side entrance, ring twice',
  'Training: please be there ten minutes early',
  'Group of 40 arrives at noon; two of them need a table without steps',
  'Swap agreed with the planner',
  'Late delivery possible',
];
