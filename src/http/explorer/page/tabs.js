/** Tabs as the ARIA practices describe them: one stop for the Tab key, arrows between the tabs. */

/**
 * @param {HTMLElement} tablist
 * @param {(tab: HTMLElement) => void} onChosen
 */
export function enableTabs(tablist, onChosen) {
  const tabs = /** @type {HTMLElement[]} */ ([...tablist.querySelectorAll('[role="tab"]')]);

  /** @param {HTMLElement} chosen */
  function choose(chosen) {
    for (const tab of tabs) {
      const isChosen = tab === chosen;
      tab.setAttribute('aria-selected', String(isChosen));
      tab.tabIndex = isChosen ? 0 : -1;
      const panel = document.getElementById(tab.getAttribute('aria-controls') ?? '');
      if (panel !== null) panel.hidden = !isChosen;
    }
    onChosen(chosen);
  }

  for (const tab of tabs) {
    tab.tabIndex = tab.getAttribute('aria-selected') === 'true' ? 0 : -1;
    tab.addEventListener('click', () => choose(tab));
  }
  tablist.addEventListener('keydown', (event) => {
    const at = tabs.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    const target = tabs.at(targetOf(event.key, at, tabs.length));
    if (at < 0 || target === undefined || target === tabs[at]) return;
    event.preventDefault();
    target.focus();
    choose(target);
  });
}

/**
 * @param {string} key
 * @param {number} at
 * @param {number} count
 */
function targetOf(key, at, count) {
  switch (key) {
    case 'ArrowRight':
      return (at + 1) % count;
    case 'ArrowLeft':
      return at - 1;
    case 'Home':
      return 0;
    case 'End':
      return -1;
    default:
      return at;
  }
}
