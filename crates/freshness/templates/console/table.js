// Which datasets are shown, and in which order?

const PER_PAGE = 100;
const n = table.name.length;
// The order in which they come is that of urgency.
const inOrder = Array.from({ length: n }, (_, i) => i);
const searched = inOrder.map((i) =>
  `${table.name[i]}\n${table.teams[table.team[i]]}\n${table.owners[table.owner[i]]}`.toLowerCase());
const collator = new Intl.Collator('en', { numeric: true });
const ORDERS = {
  urgency: (a, b) => a - b,
  name: (a, b) => collator.compare(table.name[a], table.name[b]),
  state: (a, b) => table.state[a] - table.state[b] || a - b,
  last: (a, b) => (table.last[b] - table.last[a]) || a - b,
  model: (a, b) => table.model[a] - table.model[b] || a - b,
};
const asked = { text: '', team: '', state: null, sort: 'urgency', pages: 1 };

function matching() {
  const words = asked.text.toLowerCase().split(/\s+/).filter(Boolean);
  const team = table.teams.indexOf(asked.team);
  return inOrder.filter((i) => (asked.state === null || table.state[i] === asked.state)
    && (!asked.team || table.team[i] === team)
    && words.every((word) => searched[i].includes(word)));
}

// The last cycles as a strip: each state has a height of its own.
const BARS = {
  ok: [5, 7], late_arrival: [4, 12], late: [4, 16], missed: [4, 16], pending: [2, 2],
};
function strip(digits, places = 30) {
  const step = 6;
  const svg = make('svg', { class: 'strip', viewBox: `0 0 ${places * step} 16`, role: 'img', 'aria-label': stripWords(digits) });
  [...digits].forEach((digit, i) => {
    const state = table.states[digit];
    const [width, height] = BARS[state] || [2, 2];
    const x = (places - digits.length + i) * step + (step - width) / 2;
    svg.append(make('rect', { class: `s-${state}`, x, y: 16 - height, width, height, rx: 1 }));
  });
  return svg;
}
function stripWords(digits) {
  if (!digits) return 'no cycles yet';
  const count = {};
  for (const digit of digits) count[spoken(digit)] = (count[spoken(digit)] || 0) + 1;
  const parts = Object.entries(count).map(([word, times]) => `${times} ${word}`);
  return `last ${digits.length} cycles: ${parts.join(', ')}`;
}

function badge(i) {
  const state = table.states[table.state[i]];
  return make('span', { class: `badge ${state}` }, icon(state), spoken(table.state[i]));
}

// What explains it, and where that is told.
function because(i) {
  const root = table.causes[table.cause[i]];
  return root ? make('span', { class: 'cause' }, 'because of ', make('a', { href: `#dataset=${encodeURIComponent(root)}` }, root)) : null;
}

function row(i) {
  const about = [table.critical[i] ? make('span', { class: 'critical' }, 'critical') : null];
  const who = [table.teams[table.team[i]], table.owners[table.owner[i]]].filter(Boolean).join(' · ');
  if (who) about.push(make('span', {}, who));
  const late = table.late[i] ? `${duration(table.late[i])} past` : '';
  return make('tr', {},
    make('th', { scope: 'row' },
      make('button', { type: 'button', class: 'name', 'data-row': i, onclick: () => openPanel(i) }, table.name[i]),
      make('span', { class: 'about' }, ...about)),
    make('td', { class: 'c-state' }, badge(i), late ? make('span', { class: 'by' }, late) : null,
      because(i)),
    make('td', { class: 'c-strip' }, strip(table.strip[i])),
    make('td', { class: 'c-time' }, table.last[i] ? timeElement(table.last[i]) : 'never'),
    make('td', { class: 'c-time' }, table.deadline[i] ? timeElement(table.deadline[i]) : '–'),
    make('td', { class: 'c-calendar' }, table.calendars[table.calendar[i]] || '–',
      make('span', { class: 'about' }, table.models[table.model[i]].replace('_', ' '))));
}

const HEADS = [
  ['Dataset', 'name'], ['State', 'state'], ['Last 30 cycles', null],
  ['Last arrival', 'last'], ['Deadline', null], ['Calendar and model', 'model'],
];

function show() {
  const found = matching().sort(ORDERS[asked.sort]);
  const shown = found.slice(0, asked.pages * PER_PAGE);
  const heads = HEADS.map(([words, sort]) => {
    const sorted = sort && sort === asked.sort;
    const content = sort
      ? make('button', { type: 'button', 'data-sort': sort, onclick: () => order(sort) }, words)
      : words;
    return make('th', { scope: 'col', 'aria-sort': sorted ? (sort === 'last' ? 'descending' : 'ascending') : null }, content);
  });
  const list = shown.length
    ? make('table', {}, make('caption', { class: 'sr' }, 'All datasets; a name opens what is known of it'),
      make('thead', {}, make('tr', {}, ...heads)), make('tbody', {}, ...shown.map(row)))
    : make('p', { class: 'nothing' }, 'No dataset is like that. ',
      make('button', { type: 'button', class: 'wide', onclick: forget }, 'Show all'));
  byId('list').replaceChildren(list);
  const count = (number) => number.toLocaleString('en-GB');
  byId('shown').textContent = found.length === n
    ? `${count(n)} dataset${n === 1 ? '' : 's'}` : `${count(found.length)} of ${count(n)} datasets`;
  byId('more').hidden = shown.length === found.length;
  byId('more').firstElementChild.textContent = `Show ${Math.min(PER_PAGE, found.length - shown.length)} more of ${count(found.length - shown.length)}`;
  chips();
}

function order(sort) {
  asked.sort = asked.sort === sort && sort !== 'urgency' ? 'urgency' : sort;
  byId('sort').value = asked.sort;
  show();
  document.querySelector(`[data-sort="${sort}"]`)?.focus();
}

function forget() {
  Object.assign(asked, { text: '', team: '', state: null, pages: 1 });
  byId('search').value = '';
  byId('team').value = '';
  show();
  byId('search').focus();
}

// A button for each state that occurs.
const nOf = table.states.map((_, state) => table.state.filter((other) => other === state).length);
function chips() {
  const chip = (state, words, icons) => make('button', {
    type: 'button', class: `chip ${state === null ? '' : table.states[state]}`, 'data-chip': String(state),
    'aria-pressed': String(asked.state === state),
    onclick: () => ask({ state: asked.state === state ? null : state }),
  }, ...icons, words);
  const focused = document.activeElement?.dataset?.chip;
  byId('states').replaceChildren(
    chip(null, `all ${n.toLocaleString('en-GB')}`, []),
    ...nOf.flatMap((times, state) => (times
      ? [chip(state, `${spoken(state)} ${times.toLocaleString('en-GB')}`, [icon(table.states[state])])] : [])));
  if (focused) document.querySelector(`[data-chip="${focused}"]`)?.focus();
}

function ask(changed) {
  Object.assign(asked, { pages: 1 }, changed);
  show();
}

byId('search').addEventListener('input', (event) => ask({ text: event.target.value }));
byId('team').addEventListener('change', (event) => ask({ team: event.target.value }));
byId('sort').addEventListener('change', (event) => ask({ sort: event.target.value }));
byId('more').firstElementChild.addEventListener('click', () => {
  const before = document.querySelectorAll('#list tbody tr').length;
  asked.pages += 1;
  show();
  document.querySelectorAll('#list .name')[before]?.focus();
});
byId('tools').hidden = false;
show();
timesInWords();
showZone();
