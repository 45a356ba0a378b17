import { describe, expect, test } from 'vitest';
import { html, trusted } from '../../../src/reporting/page/html.js';

describe('html', () => {
  test('escapes every value, in text and in attributes', () => {
    const evil = `"><script>alert('x')</script>&`;
    expect(String(html`<p title="${evil}">${evil}</p>`)).toBe(
      '<p title="&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;">' +
        '&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;</p>',
    );
  });

  test('keeps HTML, joins lists, writes numbers, and nothing for null and false', () => {
    const rows = ['<a>', 'b'].map((text) => html`<i>${text}</i>`);
    const nothing = [null, undefined, false] as const;
    expect(String(html`<b>${rows}</b>${nothing}${0}${12n}${trusted('<hr>')}`)).toBe(
      '<b><i>&lt;a&gt;</i><i>b</i></b>012<hr>',
    );
  });

  test('replaces what HTML cannot hold and what changes the direction of writing', () => {
    expect(String(html`${'a\u0000b\u001bc\u202Ed\uD800e\u2066f\u061cg\nH\t😀'}`)).toBe(
      'a�b�c�d�e�f�g\nH\t😀',
    );
  });
});
