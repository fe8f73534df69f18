// What do all parts of the page need? Elements, times in two zones, the theme.

// Makes an element; what it is given is text and never markup.
function make(name, attributes, ...children) {
  const svg = 'svg path rect circle line text g title'.split(' ').includes(name);
  const element = svg
    ? document.createElementNS('http://www.w3.org/2000/svg', name)
    : document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (key === 'onclick') element.addEventListener('click', value);
    else if (value !== null && value !== undefined && value !== false) {
      element.setAttribute(key, value === true ? '' : value);
    }
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

const byId = (id) => document.getElementById(id);
const table = JSON.parse(byId('columns').textContent);
const now = Number(document.body.dataset.now);

function remembered(key) {
  try { return localStorage.getItem(key); } catch (refused) { return null; }
}
function remember(key, value) {
  try { localStorage.setItem(key, value); } catch (refused) { /* Not from a disk. */ }
}

// --- Times

const readersZone = Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';
let inUtc = remembered('freshness-zone') === 'UTC' || readersZone === 'UTC';
const forms = {};

function form(zone, kind) {
  const parts = {
    clock: { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
    day: { weekday: 'short', day: 'numeric', month: 'short' },
    year: { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' },
    zone: { hour: '2-digit', timeZoneName: 'short' },
  }[kind];
  return forms[zone + kind] ||= new Intl.DateTimeFormat('en-GB', { timeZone: zone, ...parts });
}

// The day of an instant in a zone, with the year if it is far from that of
// the page; its clock; the zone's name then.
function dayIn(seconds, zone) {
  const far = Math.abs(seconds - now) > 200 * 86400;
  return form(zone, far ? 'year' : 'day').format(new Date(seconds * 1000)).replace(',', '');
}
function clockIn(seconds, zone) {
  const at = new Date(seconds * 1000);
  const name = form(zone, 'zone').formatToParts(at).find((part) => part.type === 'timeZoneName').value;
  return `${form(zone, 'clock').format(at)} ${name}`;
}

// Both times, the reader's first unless UTC was asked for: `Sat 28 Feb 13:05
// CET`, and of the other what differs.
function zones() {
  return inUtc ? ['UTC', readersZone] : [readersZone, 'UTC'];
}
function timeText(seconds) {
  const [zone] = zones();
  return `${dayIn(seconds, zone)} ${clockIn(seconds, zone)}`;
}
function otherTime(seconds) {
  if (readersZone === 'UTC') return '';
  const [zone, other] = zones();
  const days = [dayIn(seconds, zone), dayIn(seconds, other)];
  return `${days[0] === days[1] ? '' : days[1] + ' '}${clockIn(seconds, other)}`;
}
function fillTime(element) {
  const seconds = Date.parse(element.dateTime) / 1000;
  const other = otherTime(seconds);
  element.replaceChildren(timeText(seconds));
  if (other) element.append(make('span', { class: 'other' }, ` ${other}`));
}
function timeElement(seconds) {
  const element = make('time', { datetime: new Date(seconds * 1000).toISOString() });
  fillTime(element);
  return element;
}
// A sentence says its times in words.
function withTimes(sentence) {
  const parts = sentence.split(/(\d{4}-\d\d-\d\d \d\d:\d\d) UTC/);
  const at = (words) => Date.parse(words.replace(' ', 'T') + 'Z') / 1000;
  return parts.map((part, i) => (i % 2 ? timeElement(at(part)) : part));
}
function timesInWords() {
  for (const caveat of document.querySelectorAll('.caveat')) {
    caveat.replaceChildren(...withTimes(caveat.textContent));
  }
}
function fillTimes() {
  document.querySelectorAll('time').forEach(fillTime);
}

function duration(seconds) {
  const minutes = Math.floor(seconds / 60);
  const [hours, days] = [Math.floor(minutes / 60), Math.floor(minutes / 1440)];
  if (minutes < 1) return `${Math.round(seconds)} s`;
  if (hours < 1) return `${minutes} min`;
  if (days < 1) return `${hours} h ${String(minutes % 60).padStart(2, '0')} min`;
  if (days > 30) return `${days.toLocaleString('en-GB')} d`;
  return `${days} d ${hours % 24} h`;
}

// --- Words

const SPOKEN = {
  ok: 'on time', pending: 'not due yet', late: 'late', late_arrival: 'came late',
  missed: 'missed', unknown: 'never seen', insufficient_history: 'too new',
  not_evaluated: 'not judged',
};
const spoken = (number) => SPOKEN[table.states[number]];
const SEVERITIES = ['', 'advisory', 'warning', 'critical'];

// The shape of a state; the same as in parts.html, drawn from there.
function icon(state) {
  const drawn = document.querySelector(`#shapes [data-state="${state}"] svg`);
  return drawn ? drawn.cloneNode(true) : make('span', {});
}

// --- Switches

function showTheme() {
  const dark = document.documentElement.dataset.theme
    ? document.documentElement.dataset.theme === 'dark'
    : matchMedia('(prefers-color-scheme: dark)').matches;
  byId('theme').textContent = dark ? 'Light' : 'Dark';
  byId('theme').setAttribute('aria-label', dark ? 'Use the light theme' : 'Use the dark theme');
  return dark;
}
byId('theme').addEventListener('click', () => {
  const next = showTheme() ? 'light' : 'dark';
  const system = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  // Who is back at what the system says follows the system again.
  if (next === system) delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = next;
  remember('freshness-theme', next === system ? '' : next);
  showTheme();
});
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', showTheme);

function showZone() {
  byId('zone').setAttribute('aria-pressed', String(inUtc));
  byId('zone').hidden = readersZone === 'UTC';
  fillTimes();
}
byId('zone').addEventListener('click', () => {
  inUtc = !inUtc;
  remember('freshness-zone', inUtc ? 'UTC' : 'local');
  showZone();
});
byId('switches').hidden = false;
showTheme();

// A page that lies about must not pass for the present.
(function tellAge() {
  const age = Date.now() / 1000 - now;
  if (document.body.hasAttribute('data-pinned') || age < 3600) return;
  const notice = byId('old');
  notice.hidden = false;
  notice.textContent = `This page was written ${duration(age)} ago: it says what was late then.`;
  const fit = byId('fit');
  if (age > 36 * 3600) notice.classList.add('stale');
  if (fit && age > 36 * 3600) fit.classList.add('stale');
})();
