import type { ShopperStep } from '../../payment-core/index.js';

/** The page on which a shopper approves or declines a payment of the simulator. */
export function stepPage({ paymentId, amount, currency }: ShopperStep, token: string): string {
  return page(`<p>This page takes the place of the shopper’s bank. No money moves.</p>
<dl><dt>Amount</dt><dd>${escape(amount)} ${escape(currency)}</dd><dt>Payment</dt><dd>${escape(paymentId)}</dd></dl>
<form method="post" action="shopper-step/decision">
<input type="hidden" name="paymentId" value="${escape(paymentId)}">
<input type="hidden" name="token" value="${escape(token)}">
<button name="outcome" value="approve">Approve</button>
<button name="outcome" value="decline" class="second">Decline</button>
</form>`);
}

/** The shopper came back to the page, or reloaded it. */
export function decidedPage({ returnUrl }: ShopperStep): string {
  return page(`<p>This payment has already been decided.</p>
<p><a href="${escape(returnUrl)}">Back to the shop</a></p>`);
}

function page(content: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Simulated bank</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="../paymentWidgets/card-form.css">
</head>
<body>
<main>
<h1>Simulated bank</h1>
${content}
</main>
</body>
</html>
`;
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escape = (text: string) => text.replace(/[&<>"]/g, (character) => entities[character] ?? '');
