/**
 * The card form inside the frame. It sends the card to the gateway, and reports to the page around it only what happens
 * next. The fragment of its address says which checkout it pays and for which page.
 */

const settings = new URLSearchParams(location.hash.slice(1));
const checkoutId = settings.get('checkoutId') ?? '';
const brands = (settings.get('brands') ?? '').split(/\s+/).filter((brand) => brand !== '');
const origin = settings.get('origin') ?? '';
document.documentElement.dataset['scheme'] = settings.get('scheme') === 'dark' ? 'dark' : 'light';

/**
 * @template {HTMLElement} T
 * @param {string} id
 * @param {new () => T} type
 * @returns {T}
 */
function byId(id, type) {
  const element = document.getElementById(id);
  if (!(element instanceof type)) throw new Error(`card-form.html has no ${id}`);
  return element;
}

const form = byId('card', HTMLFormElement);
const pay = byId('pay', HTMLButtonElement);
const problems = byId('problems', HTMLElement);
const status = byId('status', HTMLElement);
const input = {
  brand: byId('brand', HTMLSelectElement),
  number: byId('number', HTMLInputElement),
  holder: byId('holder', HTMLInputElement),
  month: byId('month', HTMLInputElement),
  year: byId('year', HTMLInputElement),
  cvv: byId('cvv', HTMLInputElement),
};

/** @typedef {HTMLInputElement | HTMLSelectElement} Field */
/** @typedef {{ field: Field, message: string }} Problem */

/** @param {Record<string, unknown>} message */
function report(message) {
  // The messages contain no card data. A page from a file has no origin.
  window.parent.postMessage(message, origin === '' || origin === 'null' ? '*' : origin);
}

const digits = () => input.number.value.replace(/[\s-]/g, '');
const fullYear = () =>
  input.year.value.trim().length === 2 ? `20${input.year.value.trim()}` : input.year.value.trim();

/** The values by the names of their parameters. */
function parameters() {
  return {
    ...(input.brand.value === '' ? {} : { paymentBrand: input.brand.value }),
    'card.number': digits(),
    'card.holder': input.holder.value.trim(),
    'card.expiryMonth': input.month.value.trim().padStart(2, '0'),
    'card.expiryYear': fullYear(),
    'card.cvv': input.cvv.value.trim(),
    shopperResultUrl: settings.get('shopperResultUrl') ?? '',
  };
}

/**
 * What a shopper can mistype; everything else is for the gateway to check.
 *
 * @returns {Problem[]}
 */
function mistakes() {
  /** @type {[Field, boolean, string][]} */
  const checks = [
    [input.number, isCardNumber(digits()), 'Check the card number.'],
    [input.holder, input.holder.value.trim().length >= 3, 'Enter the name as it is on the card.'],
    [input.month, /^(0?[1-9]|1[0-2])$/.test(input.month.value.trim()), 'Enter a month from 01 to 12.'],
    [input.year, isInTime(), 'Enter a year in which the card is still valid.'],
    [input.cvv, /^\d{3,4}$/.test(input.cvv.value.trim()), 'Enter the 3 or 4 digits of the security code.'],
  ];
  return checks.filter(([, isRight]) => !isRight).map(([field, , message]) => ({ field, message }));
}

function isInTime() {
  const now = new Date();
  const year = fullYear();
  if (!/^20\d{2}$/.test(year) || Number(year) < now.getFullYear()) return false;
  return Number(year) > now.getFullYear() || Number(input.month.value) >= now.getMonth() + 1;
}

/**
 * The check digit of ISO/IEC 7812.
 *
 * @param {string} number
 */
function isCardNumber(number) {
  if (!/^\d{12,19}$/.test(number)) return false;
  const sum = [...number].reverse().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 0 ? 1 : 2);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}

/**
 * Shows each problem at its field, and announces them; the first field gets the focus.
 *
 * @param {Problem[]} found
 * @param {string} [general] what concerns no field
 */
function show(found, general = '') {
  for (const field of Object.values(input)) {
    const message = found.find((problem) => problem.field === field)?.message ?? '';
    const place = byId(`${field.id}-problem`, HTMLElement);
    place.textContent = message;
    if (message === '') field.removeAttribute('aria-describedby');
    else field.setAttribute('aria-describedby', place.id);
    field.setAttribute('aria-invalid', String(message !== ''));
  }
  const count = found.length === 1 ? 'One field needs' : `${found.length} fields need`;
  problems.textContent = general !== '' ? general : found.length > 0 ? `${count} your attention.` : '';
  (found[0]?.field ?? (general === '' ? undefined : problems))?.focus();
}

/** The fields by the parameters that an answer names. */
/** @type {Map<string, Field>} */
const fieldOf = new Map(Object.values(input).map((field) => [field.name, field]));

/**
 * @typedef {object} Answer
 * @property {string} id
 * @property {string} [resourcePath]
 * @property {{ url: string, parameters: { name: string, value: string }[] }} [redirect]
 * @property {{ code: string, description: string, parameterErrors?: { name: string, message: string }[] }} result
 */

const alreadyPaid = '800.110.100';

/**
 * @param {number} httpStatus
 * @param {Answer} answer
 */
function proceed(httpStatus, { redirect, resourcePath, result }) {
  if (redirect !== undefined) {
    status.textContent = 'You are forwarded to your bank.';
    report({ type: 'redirect', ...redirect });
    return;
  }
  if (resourcePath !== undefined || result.code === alreadyPaid) {
    status.textContent = 'You are sent back to the shop.';
    // A declined payment as well: the shop reads the result and decides what comes next.
    report({
      type: 'paid',
      id: checkoutId,
      resourcePath: resourcePath ?? `/v1/checkouts/${checkoutId}/payment`,
    });
    return;
  }
  release();
  if (httpStatus === 404) {
    show([], 'This payment has expired. Go back to the shop and start it again.');
    return;
  }
  const errors = result.parameterErrors ?? [];
  const found = errors.flatMap(({ name, message }) => {
    const field = fieldOf.get(name);
    return field === undefined ? [] : [{ field, message: `${message}.` }];
  });
  const others = errors.filter(({ name }) => !fieldOf.has(name)).map(({ message }) => `${message}.`);
  const general = others.length > 0 ? others.join(' ') : found.length > 0 ? '' : `${result.description}.`;
  show(found, general);
}

function release() {
  pay.removeAttribute('aria-disabled');
  status.textContent = '';
}

async function send() {
  const target = new URL(`../checkouts/${encodeURIComponent(checkoutId)}/payment`, location.href);
  try {
    const response = await fetch(target, { method: 'POST', body: new URLSearchParams(parameters()) });
    proceed(response.status, await response.json());
  } catch {
    release();
    show([], 'The connection failed. Press "Pay now" again: a checkout is never paid twice.');
  }
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  // Not `disabled`, which would take the focus away from the button.
  if (pay.getAttribute('aria-disabled') === 'true') return;
  const found = mistakes();
  show(found);
  if (found.length > 0) return;
  pay.setAttribute('aria-disabled', 'true');
  status.textContent = 'The payment is made.';
  void send();
});

// A browser keeps the page for Back, as it is at this moment: without the card, and ready for the next payment.
window.addEventListener('pagehide', () => {
  form.reset();
  release();
});

/** The first digits of a brand's cards. */
const firstDigits = {
  VISA: /^4/,
  MASTER: /^(5[1-5]|2[2-7])/,
  AMEX: /^3[47]/,
  DINERS: /^3[068]/,
  DISCOVER: /^6(011|5)/,
  JCB: /^35/,
  MAESTRO: /^(5[06-8]|6)/,
};

input.number.addEventListener('input', () => {
  const fitting = Object.entries(firstDigits).find(
    ([name, start]) => brands.includes(name) && start.test(digits()),
  );
  if (fitting !== undefined) input.brand.value = fitting[0];
});
input.number.addEventListener('blur', () => {
  input.number.value = digits().replace(/(\d{4})(?=\d)/g, '$1 ');
});

input.brand.replaceChildren(...brands.map((name) => new Option(name)));
// One brand is not a choice; without any, the gateway takes the brand of the number.
byId('brand-row', HTMLElement).hidden = brands.length < 2;
new ResizeObserver(() => {
  report({ type: 'height', height: Math.ceil(document.body.getBoundingClientRect().height) });
}).observe(document.body);
