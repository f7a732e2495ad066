/** The block in the editor: what visitors will see, and its settings beside it. */
(({ blockEditor, blocks, components, element, i18n: { __ }, serverSideRender }) => {
  const { createElement, useEffect, useRef } = element;
  const { Disabled, PanelBody, SelectControl, TextControl, ToggleControl } = components;
  const VIEWS = [
    { value: '', label: __('List', 'shiftfeed') },
    { value: 'week', label: __('Week', 'shiftfeed') },
    { value: 'month', label: __('Month', 'shiftfeed') },
    { value: 'now', label: __('Board: who is on now', 'shiftfeed') },
  ];

  /** Loads the calendar once, into the page of the editor or into the frame in which it shows what is edited. */
  function loadCalendar(page) {
    const src = `${window.shiftfeed.gateway}/shift-calendar.js`;
    if (page.querySelector(`script[src="${src}"]`)) return;
    page.head.append(Object.assign(page.createElement('script'), { type: 'module', src }));
  }

  function edit({ attributes, setAttributes }) {
    const place = useRef(null);
    useEffect(() => loadCalendar(place.current.ownerDocument), []);
    const field = (control, name, label, more) =>
      createElement(control, { label, onChange: (value) => setAttributes({ [name]: value }), ...more });
    const text = (name, label, help) => field(TextControl, name, label, { help, value: attributes[name] });
    const toggle = (name, label) => field(ToggleControl, name, label, { checked: attributes[name] });
    const settings = createElement(
      PanelBody,
      { title: __('Shifts', 'shiftfeed') },
      text('feed', __('Feed', 'shiftfeed'), __('Its name at the gateway.', 'shiftfeed')),
      field(SelectControl, 'view', __('View', 'shiftfeed'), { value: attributes.view, options: VIEWS }),
      text('group_ids', __('Groups', 'shiftfeed'), __('Ids such as "1,2", if not all.', 'shiftfeed')),
      text('locale', __('Language', 'shiftfeed'), __('Such as "nl", if not the site’s.', 'shiftfeed')),
      toggle('legend', __('Colours and a legend of groups', 'shiftfeed')),
      toggle('search', __('A field to search', 'shiftfeed')),
      toggle('subscribe', __('A button to subscribe', 'shiftfeed')),
      toggle('maps', __('Addresses lead to a map', 'shiftfeed')),
      toggle('live', __('Changes are shown at once', 'shiftfeed')),
    );
    const shown = createElement(serverSideRender, { block: 'shiftfeed/shifts', attributes });
    const controls = createElement(blockEditor.InspectorControls, null, settings);
    // A click chooses the block, and nothing within it.
    const preview = createElement(Disabled, null, shown);
    return createElement('div', blockEditor.useBlockProps({ ref: place }), controls, preview);
  }

  blocks.registerBlockType('shiftfeed/shifts', { edit, save: () => null });
})(window.wp);
