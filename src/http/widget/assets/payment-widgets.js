/**
 * The script of a checkout. It replaces the content of each `form.paymentWidgets` by a frame of the gateway, in which
 * the shopper enters the card, and returns to the form's action with `id` and `resourcePath` when the payment was made.
 * The merchant's page never sees the card.
 */
(() => {
  const checkoutId = '{checkoutId}';
  const script = document.currentScript;
  if (!(script instanceof HTMLScriptElement)) return;
  // The gateway is where this script came from.
  const formPage = new URL('paymentWidgets/form', script.src);

  /**
   * @typedef {object} Message what the frame reports
   * @property {'height' | 'paid' | 'redirect'} type
   * @property {number} height
   * @property {string} id
   * @property {string} resourcePath
   * @property {string} url
   * @property {{ name: string, value: string }[]} parameters
   */

  /** @param {HTMLFormElement} form */
  function showIn(form) {
    // Not `form.action`, which a field of that name would hide.
    const returnUrl = new URL(form.getAttribute('action') ?? '', document.baseURI);
    const frame = document.createElement('iframe');
    frame.title = 'Card payment';
    frame.width = '100%';
    frame.height = '430';
    frame.setAttribute('frameborder', '0');
    const scheme = schemeIn(form);
    frame.src = `${formPage.href}#${new URLSearchParams({
      checkoutId,
      brands: form.dataset['brands'] ?? '',
      shopperResultUrl: returnUrl.href,
      origin: location.origin,
      scheme,
    }).toString()}`;
    form.addEventListener('submit', (event) => event.preventDefault());
    form.replaceChildren(frame);
    window.addEventListener('message', (event) => {
      if (event.source !== frame.contentWindow || event.origin !== formPage.origin) return;
      /** @type {Message} */
      const message = event.data;
      if (message.type === 'height') frame.height = String(message.height);
      if (message.type === 'paid') comeBack(returnUrl, message);
      if (message.type === 'redirect') forward(message);
    });
  }

  /**
   * Light or dark, as the browser shows the fields of this page: dark only if the page supports it (`color-scheme`) and
   * the shopper prefers it. Most pages are light, whatever the shopper prefers.
   *
   * @param {HTMLFormElement} form
   */
  function schemeIn(form) {
    const sample = document.createElement('span');
    sample.style.color = 'CanvasText';
    form.replaceChildren(sample);
    const [red = 0] = (getComputedStyle(sample).color.match(/\d+/g) ?? []).map(Number);
    return red > 127 ? 'dark' : 'light';
  }

  /**
   * @param {URL} returnUrl
   * @param {Message} message
   */
  function comeBack(returnUrl, { id, resourcePath }) {
    const target = new URL(returnUrl);
    target.searchParams.set('id', id);
    target.searchParams.set('resourcePath', resourcePath);
    location.assign(target.href);
  }

  /**
   * Sends the shopper to the bank with the parameters that it wants.
   *
   * @param {Message} message
   */
  function forward({ url, parameters }) {
    if (!/^https?:$/.test(new URL(url).protocol)) return;
    const form = document.createElement('form');
    form.method = 'post';
    form.action = url;
    for (const { name, value } of parameters) {
      const field = document.createElement('input');
      field.type = 'hidden';
      field.name = name;
      field.value = value;
      form.append(field);
    }
    document.body.append(form);
    // A parameter may be called submit.
    HTMLFormElement.prototype.submit.call(form);
  }

  function start() {
    /** @type {NodeListOf<HTMLFormElement>} */
    const forms = document.querySelectorAll('form.paymentWidgets');
    if (forms.length === 0)
      console.error('paymentWidgets.js: this page has no <form class="paymentWidgets">.');
    forms.forEach(showIn);
  }

  if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', start);
  else start();
})();
