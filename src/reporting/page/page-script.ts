/**
 * The script of the morning page: it sorts and filters the rows that are there, and nothing else. Without it the page
 * has the same content. It reads the texts of the page and builds elements; it never builds HTML from text.
 */
export const pageScript = `
'use strict';
const table = document.querySelector('table.items');
const controls = document.getElementById('controls');
if (table && controls) {
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const texts = new Map(rows.map((row) => [row, row.textContent.toLowerCase()]));
  const element = (name, properties, ...children) => {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
  };
  const field = (label, input) => element('label', {}, element('span', { textContent: label }), input);
  const search = element('input', { type: 'search', autocomplete: 'off', size: 24 });
  const choice = (label, of) => {
    const values = [...new Set(rows.map(of))].filter((value) => value !== '').sort();
    const select = element('select', {}, element('option', { value: '', textContent: 'all' }),
      ...values.map((value) => element('option', { value, textContent: value })));
    return { select, of, field: field(label, select), isUseful: values.length > 1 };
  };
  const choices = [
    choice('Severity', (row) => row.dataset.severity),
    choice('Code', (row) => row.dataset.code),
    choice('Merchant account', (row) => row.cells[1].textContent.trim()),
  ].filter(({ isUseful }) => isUseful);
  const onlyNew = element('input', { type: 'checkbox' });
  const clear = element('button', { type: 'button', textContent: 'Clear' });
  const result = element('p', { className: 'muted small' });
  result.setAttribute('role', 'status');
  const show = () => {
    const words = search.value.toLowerCase().split(/\\s+/).filter(Boolean);
    let shown = 0;
    for (const row of rows) {
      const fits = words.every((word) => texts.get(row).includes(word))
        && choices.every(({ select, of }) => select.value === '' || of(row) === select.value)
        && (!onlyNew.checked || row.dataset.new === '1');
      row.hidden = !fits;
      if (fits) shown += 1;
    }
    result.textContent = shown === rows.length ? '' : shown + ' of ' + rows.length + ' rows shown';
  };
  clear.addEventListener('click', () => {
    search.value = '';
    onlyNew.checked = false;
    for (const { select } of choices) select.value = '';
    show();
    search.focus();
  });
  for (const input of [search, onlyNew, ...choices.map(({ select }) => select)]) input.addEventListener('input', show);
  const isNewUseful = rows.some((row) => row.dataset.new === '1') && rows.some((row) => row.dataset.new === '0');
  controls.append(field('Search', search), ...choices.map(({ field }) => field),
    ...(isNewUseful ? [element('label', { className: 'check' }, onlyNew, ' new only')] : []), clear, result);
  controls.hidden = false;

  const valueOf = (row, index) => {
    const cell = row.cells[index];
    if (cell.dataset.value !== undefined) return Number(cell.dataset.value);
    const text = cell.textContent.trim();
    return cell.classList.contains('n') ? Number(text) : text;
  };
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, index) => {
    const button = element('button', { type: 'button', className: 'sort', textContent: head.textContent });
    head.replaceChildren(button);
    button.addEventListener('click', () => {
      const before = head.getAttribute('aria-sort');
      const direction = before === null ? (head.classList.contains('n') ? -1 : 1) : before === 'ascending' ? -1 : 1;
      for (const each of heads) each.removeAttribute('aria-sort');
      head.setAttribute('aria-sort', direction === 1 ? 'ascending' : 'descending');
      const sorted = rows.map((row) => [valueOf(row, index), row]);
      sorted.sort(([a], [b]) => (a < b ? -direction : a > b ? direction : 0));
      body.append(...sorted.map(([, row]) => row));
    });
  });
  heads[heads.length - 1].setAttribute('aria-sort', 'descending');
  // With buttons in it, Chromium prints the header on the first page of the table only.
  const buttons = heads.map((head) => head.firstChild);
  addEventListener('beforeprint', () => heads.forEach((head) => head.replaceChildren(head.textContent)));
  addEventListener('afterprint', () => heads.forEach((head, index) => head.replaceChildren(buttons[index])));
}
`;
