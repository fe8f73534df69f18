// What is promised of a dataset, how it stands, and how it was kept?

// The state whose shape and colour each outcome has.
const OUTCOMES = {
  kept: ['ok', 'kept'], breached: ['missed', 'breached'],
  could_not_tell: ['unknown', 'could not tell'], not_due: ['pending', 'nothing owed'],
};
const OBJECTIVES = {
  freshness: 'Freshness', source_freshness: 'Freshness of the source', deadline: 'Deadline',
  availability: 'Values filled', row_count: 'Row count', row_count_anomaly: 'Usual row count', quality: 'Quality',
};
const UNITS = { seconds: 'of the time', deadlines: 'of the deadlines', runs: 'of the runs' };
// A letter for each day: its word, and how high it stands, so that no day is
// told by its colour alone.
const DAYS = {
  '.': ['kept', 'kept', 11], x: ['breached', 'breached', 20],
  '?': ['could not tell', 'doubtful', 15], '-': ['nothing owed', 'free', 3],
};

function promises(all) {
  if (!all.length) return [];
  return [make('h3', {}, 'What is promised'), ...all.map(objective), daysLegend(all)];
}

function objective(of) {
  const [state, word] = OUTCOMES[of.outcome];
  const usual = of.environment === 'prod' ? '' : ` in ${of.environment}`;
  const severity = of.severity && of.severity !== 'warning' ? make('span', {}, of.severity) : null;
  return make('section', { class: 'objective', 'aria-label': OBJECTIVES[of.objective] + usual },
    make('p', { class: 'about' }, make('b', {}, OBJECTIVES[of.objective] + usual),
      make('span', { class: `badge ${state}` }, icon(state), word), severity,
      of.promised ? make('span', {}, `promised: ${of.promised}`) : null),
    make('p', {}, ...withTimes(of.why), ...(of.since ? ['; broken since ', timeElement(Date.parse(of.since) / 1000)] : [])),
    days(of),
    make('p', { class: 'quiet' }, attainment(of)));
}

// Never rounded up to a whole that it is not.
const percent = (value) => (Math.floor(value * 100) / 100).toLocaleString('en-GB', { maximumFractionDigits: 2 });

function attainment(of) {
  const over = `over ${of.days.length} days`;
  if (of.attained === null) return `Nothing was owed ${over}.`;
  const kept = `Kept ${percent(of.attained)} % ${UNITS[of.unit]} ${over}`;
  if (of.left === null) return `${kept}.`;
  const left = of.left < 0
    ? `${(1 - of.left / 100).toLocaleString('en-GB', { maximumFractionDigits: 1 })} times what may fail has failed`
    : `${percent(of.left)} % of what may fail is left`;
  return `${kept}, target ${table.target} %: ${left}.`;
}

const dayAt = (of, i) => Date.parse(`${of.from}T00:00:00Z`) / 1000 + i * 86400;
const dayWords = (of, i) => dayIn(dayAt(of, i), 'UTC');

// Days of a kind that follow each other, as words.
function stretches(of, letter) {
  const found = [];
  for (const match of of.days.matchAll(new RegExp(`\\${letter}+`, 'g'))) {
    const [from, to] = [match.index, match.index + match[0].length - 1];
    found.push(from === to ? dayWords(of, from) : `${dayWords(of, from)} to ${dayWords(of, to)}`);
  }
  return found;
}

function days(of) {
  const count = (letter) => of.days.split(letter).length - 1;
  const parts = Object.entries(DAYS).filter(([letter]) => count(letter))
    .map(([letter, [word]]) => `${count(letter)} ${word}`);
  const told = ['x', '?'].filter(count).map((letter) => [DAYS[letter][0], stretches(of, letter)]);
  const svg = make('svg', {
    class: 'days', viewBox: `0 0 ${of.days.length * 10} 20`, preserveAspectRatio: 'none', role: 'img',
    'aria-label': `${of.days.length} days: ${parts.join(', ')}`,
  });
  [...of.days].forEach((letter, i) => svg.append(day(letter, i * 10, `${dayWords(of, i)}: ${DAYS[letter][0]}`)));
  return make('div', {}, svg,
    make('p', { class: 'ends quiet' }, make('span', {}, dayWords(of, 0)), make('span', {}, dayWords(of, of.days.length - 1))),
    told.length ? make('details', {}, make('summary', {}, 'Which days were not kept'),
      ...told.map(([word, all]) => make('p', { class: 'quiet' }, `${word}: ${all.join(', ')}`))) : null);
}

function day(letter, x, title) {
  const [, kind, height] = DAYS[letter];
  const inset = kind === 'doubtful' ? 1 : 0;
  return make('rect', { class: `d-${kind}`, x: x + 1 + inset, y: 20 - height + inset, width: 8 - 2 * inset, height: height - 2 * inset },
    title ? make('title', {}, title) : null);
}

// What the heights mean, of those that are there.
function daysLegend(all) {
  const shown = Object.entries(DAYS).filter(([letter]) => all.some((of) => of.days.includes(letter)));
  const sign = (letter) => make('svg', { viewBox: '0 0 10 20', class: 'sign', 'aria-hidden': 'true' }, day(letter, 0));
  return make('ul', { class: 'legend' }, ...shown.map(([letter, [word]]) => make('li', {}, sign(letter), word)));
}

// Scopes that feed a dataset and are not covered.
function behind(all) {
  if (!all.length) return [];
  return [make('h3', {}, 'What feeds it and is not covered'),
    make('ul', { class: 'behind' }, ...all.map((of) => make('li', {},
      make('span', { class: 'badge missed' }, icon('missed'), of.condition.replaceAll('_', ' ')), ' ',
      make('b', {}, `${of.source} / ${of.scope}`), ' ', of.reason)))];
}
