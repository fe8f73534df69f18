// What is known of one dataset? Unpacked when it is opened.

const unpacked = new Map();
const dialog = byId('panel');
let openedFrom = null;
let drawn = null;

async function block(number) {
  if (!unpacked.has(number)) {
    const text = atob(byId(`block-${number}`).textContent);
    const bytes = Uint8Array.from(text, (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
    unpacked.set(number, await new Response(stream).json());
  }
  return unpacked.get(number);
}

function openPanel(i) {
  location.hash = `dataset=${encodeURIComponent(table.name[i])}`;
}

async function showPanel(i) {
  let known;
  try {
    known = (await block(Math.floor(i / table.per_block)))[i % table.per_block];
  } catch (error) {
    known = { reason: 'This browser cannot unpack the details: one of 2023 or later can.', facts: [], cycles: [] };
  }
  dialog.replaceChildren(panelHead(i, known), panelBody(i, known));
  if (!dialog.open) {
    openedFrom = document.activeElement;
    dialog.showModal();
  }
  dialog.scrollTop = 0;
}

function panelHead(i, known) {
  const close = make('button', { type: 'button', class: 'close', 'aria-label': 'Close', onclick: () => dialog.close() }, '✕');
  // Of a critical dataset it goes without saying.
  const severity = table.critical[i] ? '' : SEVERITIES[table.severity[i]];
  const who = [table.teams[table.team[i]], table.owners[table.owner[i]]].filter(Boolean).join(' · ');
  return make('header', {},
    make('div', {},
      make('h2', { id: 'p-name' }, table.name[i]),
      make('p', { class: 'about' }, badge(i), severity ? make('span', {}, severity) : null,
        table.critical[i] ? make('span', { class: 'critical' }, 'critical dataset') : null,
        who ? make('span', {}, who) : null)),
    close);
}

function panelBody(i, known) {
  const facts = [
    ['Calendar', known.calendar || 'none'],
    ['Last arrival', table.last[i] ? timeElement(table.last[i]) : 'never'],
    ['Deadline', table.deadline[i] ? timeElement(table.deadline[i]) : 'none'],
  ];
  const body = make('div', { class: 'body' },
    make('p', { class: 'reason' }, known.reason), because(i),
    make('dl', { class: 'key' }, ...facts.map(([name, value]) =>
      make('div', {}, make('dt', {}, name), make('dd', {}, value)))));
  body.append(...promises(known.promises || []), ...behind(known.behind || []));
  if (known.chart) {
    drawn = known.chart;
    body.append(make('h3', {}, 'Arrivals'),
      make('p', { class: 'quiet' }, `${known.chart.heights}, on the wall clock of ${known.zone}`),
      chart(drawn), legend(drawn));
  }
  if (known.cycles.length) {
    body.append(make('h3', {}, `Last ${table.strip[i].length} cycles`), lastCycles(i), cycles(known.cycles));
  }
  if (known.facts.length) {
    body.append(make('h3', {}, 'What this rests on'),
      make('dl', { class: 'facts' }, ...known.facts.map(([name, lines]) =>
        make('div', {}, make('dt', {}, name), ...lines.map((line) => make('dd', {}, line))))));
  }
  return body;
}

function lastCycles(i) {
  const digits = table.strip[i];
  const drawn = strip(digits, digits.length);
  drawn.style.width = `${digits.length * 9}px`;
  return drawn;
}

function cycles(all) {
  let before = 0;
  const newest = all.map(([name, state, since, after]) => {
    if (since !== null) before += since;
    return [name, state, since === null ? 0 : before * 60, after === null ? 0 : (before + after) * 60];
  }).reverse();
  const row = ([name, state, deadline, arrived]) => make('tr', {},
    make('th', { scope: 'row' }, name),
    make('td', {}, make('span', { class: `badge ${table.states[state]}` }, icon(table.states[state]), spoken(state))),
    make('td', { class: 'c-time' }, arrived ? timeElement(arrived) : '–'),
    make('td', { class: 'c-time' }, deadline ? timeElement(deadline) : '–'));
  const heads = ['Cycle', 'State', 'Arrived', 'Deadline'].map((words) => make('th', { scope: 'col' }, words));
  return make('details', {}, make('summary', {}, 'Cycle by cycle'),
    make('table', { class: 'cycles' }, make('thead', {}, make('tr', {}, ...heads)), make('tbody', {}, ...newest.map(row))));
}

function followAddress() {
  const named = /^#dataset=(.+)$/.exec(location.hash);
  let name = null;
  try { name = named && decodeURIComponent(named[1]); } catch (malformed) { /* Nobody's name. */ }
  const i = name === null ? -1 : table.name.indexOf(name);
  if (i >= 0) showPanel(i);
  else if (dialog.open) dialog.close();
}

dialog.addEventListener('close', () => {
  if (location.hash.startsWith('#dataset=')) history.replaceState(null, '', location.pathname + location.search);
  openedFrom?.focus({ preventScroll: true });
});
// A click beside it closes it.
dialog.addEventListener('click', (event) => { if (event.target === dialog) dialog.close(); });
// A phone that is turned has room for more.
WIDE.addEventListener('change', () => dialog.querySelector('.chart')?.replaceWith(chart(drawn)));
addEventListener('hashchange', followAddress);
followAddress();
