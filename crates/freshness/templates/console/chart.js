// What does a dataset's chart show? Places are reckoned already; see
// outputs/plot/outline.rs. Shapes differ as well as colours.

const KINDS = ['in time', 'late', 'again: serves no other cycle', 'before the present schedule'];

const WIDE = matchMedia('(min-width: 600px)');

function chart(outline) {
  const wide = WIDE.matches;
  const [width, height] = wide ? [820, 300] : [380, 250];
  const [left, right, top, bottom] = [70, 12, 26, 28];
  const x = (place) => left + (place / 10000) * (width - left - right);
  const y = (place) => height - bottom - (place / 1000) * (height - top - bottom);
  const svg = make('svg', { viewBox: `0 0 ${width} ${height}`, class: 'chart', role: 'img', 'aria-label': describe(outline) });
  const add = (...elements) => svg.append(...elements);
  const span = (from, to) => Math.max(x(to) - x(from), 1);

  for (const [from, to] of outline.outages) {
    add(make('rect', { class: 'outage', x: x(from), y: top, width: span(from, to), height: height - top - bottom }));
  }
  for (const [place, label] of outline.y) {
    add(make('line', { class: 'grid', x1: left, x2: width - right, y1: y(place), y2: y(place) }),
      make('text', { x: left - 8, y: y(place) + 4, 'text-anchor': 'end' }, label));
  }
  // On a phone every other date has room.
  outline.x.forEach(([place, label], i) => {
    if (!wide && i % 2 && outline.x.length > 4) return;
    add(make('line', { class: 'grid', x1: x(place), x2: x(place), y1: height - bottom, y2: height - bottom + 4 }),
      make('text', { x: x(place), y: height - 8, 'text-anchor': 'middle' }, label));
  });
  for (const [from, to, lower, upper] of spans(outline.windows, 4)) {
    add(make('rect', { class: 'window', x: x(from), y: y(upper), width: span(from, to), height: Math.max(y(lower) - y(upper), 2) }));
  }
  let path = '';
  let end = null;
  for (const [from, to, height] of spans(outline.deadlines, 3)) {
    path += `${from === end ? 'L' : 'M'}${x(from).toFixed(1)} ${y(height).toFixed(1)}H${x(to).toFixed(1)}`;
    end = to;
  }
  if (path) add(make('path', { class: 'deadline', d: path }));
  for (const [place, words] of outline.moves) {
    add(make('line', { class: 'move', x1: x(place), x2: x(place), y1: top - 4, y2: height - bottom }));
    const last = place > 6000;
    add(make('text', { class: 'move', x: x(place) + (last ? -5 : 5), y: top - 10, 'text-anchor': last ? 'end' : 'start' }, words));
  }
  let [at, place] = [0, 0];
  const p = outline.points;
  for (let i = 0; i < p.length; i += 4) {
    at += p[i] * 60;
    place += p[i + 1];
    const [cx, cy, kind] = [x(place), y(p[i + 2]), p[i + 3]];
    const mark = kind === 1
      ? make('path', { class: 'mark k1', d: `M${cx} ${cy - 5.5}l5.2 9.5h-10.4z` })
      : make('circle', { class: `mark k${kind}`, cx, cy, r: kind === 0 ? 2.8 : 2.6 });
    mark.append(make('title', {}, `${timeText(at)}: ${KINDS[kind]}`));
    add(mark);
  }
  for (const [place, awaited] of outline.missing) {
    const [cx, cy] = [x(place), top + 7];
    add(make('path', { class: 'mark missing', d: `M${cx - 4} ${cy - 4}l8 8m0 -8l-8 8` },
      make('title', {}, awaited ? 'still awaited, past its deadline' : 'nothing arrived')));
  }
  return svg;
}

// Distances and widths become from and to.
function spans(numbers, n) {
  const all = [];
  let end = 0;
  for (let i = 0; i < numbers.length; i += n) {
    const from = end + numbers[i];
    end = from + numbers[i + 1];
    all.push([from, end, ...numbers.slice(i + 2, i + n)]);
  }
  return all;
}

// The chart in a sentence, for those who cannot see it.
function describe(outline) {
  return `${outline.title}. ${counts(outline).map(([n, , words]) => `${n} ${words}`).join(', ')}.`;
}

// How many marks of each kind there are, and what they look like.
function counts(outline) {
  const of = (kind) => outline.points.filter((value, i) => i % 4 === 3 && value === kind).length;
  return [
    [of(0), 'k0', 'in time'], [of(1), 'k1', 'late'],
    [outline.missing.length, 'missing', 'missed or awaited'],
    [of(2), 'k2', 'delivered again'], [of(3), 'k3', 'before this schedule'],
  ].filter(([n]) => n > 0);
}

function legend(outline) {
  const sign = (kind) => {
    const shape = {
      k1: () => make('path', { class: 'mark k1', d: 'M8 2.5l5.2 9.5h-10.4z' }),
      missing: () => make('path', { class: 'mark missing', d: 'M4 4l8 8m0 -8l-8 8' }),
      window: () => make('rect', { class: 'window', x: 1, y: 3, width: 14, height: 10 }),
      deadline: () => make('path', { class: 'deadline', d: 'M0 8h16' }),
      move: () => make('path', { class: 'move', d: 'M8 0v16' }),
    }[kind];
    return make('svg', { viewBox: '0 0 16 16', class: 'icon', 'aria-hidden': 'true' },
      shape ? shape() : make('circle', { class: `mark ${kind}`, cx: 8, cy: 8, r: 3.4 }));
  };
  const items = counts(outline).map(([n, kind, words]) => [kind, `${n} ${words}`]);
  if (outline.windows.length) items.push(['window', 'expected window (p10 to p90)']);
  if (outline.deadlines.length) items.push(['deadline', 'deadline']);
  if (outline.moves.length) items.push(['move', 'schedule moved']);
  return make('ul', { class: 'legend' }, ...items.map(([kind, words]) => make('li', {}, sign(kind), words)));
}
