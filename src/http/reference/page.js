/* Runs in the browser. */

/** What stands outside of the main element of Swagger UI. */
const REGIONS = [
  ['.information-container', 'region', 'Introduction'],
  ['.scheme-container', 'region', 'Server and token'],
  ['.dialog-ux .modal-ux', 'dialog', 'Token'],
];

followColourScheme();
nameControls();
showReference().catch(() => {
  document.querySelector('#reference .notice').textContent =
    'The description of the API could not be read. Reload the page to try again.';
});

/** Swagger UI has dark colours for a class, and leaves it to the page to set that. */
function followColourScheme() {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
  dark.addEventListener('change', follow);
  follow();
}

/**
 * Swagger UI leaves some controls without a name, gives one a name that it does not show, and has boxes that scroll but
 * cannot be reached by keys.
 */
function nameControls() {
  const reference = document.querySelector('#reference');
  const name = () => {
    for (const select of reference.querySelectorAll('select:not([aria-label])')) {
      const parameter = select.closest('[data-param-name]')?.dataset.paramName;
      select.setAttribute('aria-label', parameter ?? (select.id === 'servers' ? 'Server' : 'Example'));
    }
    reference.querySelector('.close-modal')?.setAttribute('aria-label', 'Close');
    reference.querySelector('.dialog-ux [type="submit"]')?.removeAttribute('aria-label');
    for (const [selector, role, label] of REGIONS) {
      const region = reference.querySelector(selector);
      region?.setAttribute('role', role);
      region?.setAttribute('aria-label', label);
    }
    for (const box of reference.querySelectorAll('.microlight, .curl')) box.tabIndex = 0;
  };
  new MutationObserver(name).observe(reference, { childList: true, subtree: true });
}

async function showReference() {
  const answer = await fetch('openapi.json');
  if (!answer.ok) throw new Error(`openapi.json answered ${answer.status}`);
  const description = await answer.json();
  // Requests go to the address that this page was loaded from: its content security policy allows no other.
  description.servers = [{ url: new URL('.', document.baseURI).href.replace(/\/$/, '') }];
  tellHeadersOnce(description);
  // On this page, headings of the text follow the title.
  description.info.description = description.info.description.replace(/^### /gm, '## ');
  const page = SwaggerUIBundle({
    dom_id: '#reference',
    spec: description,
    // Its links would stand inside of buttons.
    deepLinking: false,
    docExpansion: 'list',
    defaultModelsExpandDepth: 0,
    displayRequestDuration: true,
    // The token is forgotten when the page is closed.
    persistAuthorization: false,
    supportedSubmitMethods: ['get', 'head', 'options'],
    validatorUrl: null,
    // Whoever comes here wants to read about the one operation.
    onComplete: () => page.layoutActions.show(['operations', 'Shifts', 'listShifts'], true),
  });
}

/**
 * Most responses of an operation have the same headers. Each is told with the first response that has it, because the page would repeat
 * them all for every status.
 */
function tellHeadersOnce({ paths, components }) {
  const done = new Set();
  for (const operation of Object.values(paths).flatMap(Object.values)) {
    const told = new Set();
    for (const { $ref } of Object.values(operation.responses)) {
      const response = components.responses[$ref.split('/').at(-1)];
      if (done.has(response)) continue;
      done.add(response);
      for (const [name, { $ref: key = name }] of Object.entries(response.headers ?? {})) {
        if (told.has(key)) delete response.headers[name];
        else told.add(key);
      }
    }
  }
}
