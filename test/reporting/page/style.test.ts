import { describe, expect, test } from 'vitest';
import { palettes, type Palette } from '../../../src/reporting/page/style.js';

/** Relative luminance as WCAG 2.2 defines it. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

test('the contrast is that of WCAG', () => {
  expect(contrast('#000000', '#ffffff')).toBeCloseTo(21);
  expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.48);
});

describe.each(Object.entries(palettes))('the %s colours', (_name, palette: Palette) => {
  const { paper, panel } = palette;

  test.each(['ink', 'muted', 'accent', 'error', 'warning', 'info', 'good'] as const)(
    '%s is legible',
    (text) => {
      expect(contrast(palette[text], paper)).toBeGreaterThanOrEqual(4.5);
      expect(contrast(palette[text], panel)).toBeGreaterThanOrEqual(4.5);
    },
  );

  test('the edge of a control is visible', () => {
    expect(contrast(palette.edge, paper)).toBeGreaterThanOrEqual(3);
    expect(contrast(palette.edge, panel)).toBeGreaterThanOrEqual(3);
  });
});
