/**
 * The look of the pages for people: warm paper, dark ink, thin rules, and the double rule that bookkeepers draw below a
 * total. Only fonts of the system are used, since a page loads nothing.
 */

/** Colours by what they are for. */
export interface Palette {
  readonly paper: string;
  /** Behind headings of tables, figures and controls. */
  readonly panel: string;
  readonly ink: string;
  /** Text of less weight. */
  readonly muted: string;
  /** Thin lines between rows. */
  readonly rule: string;
  /** Borders of controls. */
  readonly edge: string;
  /** Links, the focus and the bars of charts. */
  readonly accent: string;
  readonly error: string;
  readonly warning: string;
  readonly info: string;
  readonly good: string;
}

/** A test computes the contrast of every colour of text with both grounds: 4.5 or more, and 3 for lines of controls. */
export const palettes: Readonly<Record<'light' | 'dark', Palette>> = {
  light: {
    paper: '#fdfcf9',
    panel: '#f4f1e9',
    ink: '#1d1f22',
    muted: '#5c5f64',
    rule: '#dcd7ca',
    edge: '#85816f',
    accent: '#1c4f82',
    error: '#a01c22',
    warning: '#7a4b00',
    info: '#3a586f',
    good: '#1f6440',
  },
  dark: {
    paper: '#16181b',
    panel: '#1f2226',
    ink: '#e9e7e1',
    muted: '#a9a8a2',
    rule: '#33363b',
    edge: '#7c7f84',
    accent: '#8fbaea',
    error: '#ff9f97',
    warning: '#eebd69',
    info: '#a3c3dd',
    good: '#86d2a3',
  },
};

const variables = (palette: Palette) =>
  Object.entries(palette)
    .map(([name, colour]) => `--${name}:${colour}`)
    .join(';');

/** Colours, type, tables, marks and controls: what every page shares. */
export const baseStyle = `
:root{color-scheme:light;${variables(palettes.light)};
--sans:system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue","Noto Sans","Liberation Sans",Arial,sans-serif;
--serif:"Iowan Old Style","Palatino Linotype",Palatino,"URW Palladio L",P052,"Book Antiqua",Georgia,"Noto Serif",serif;
--mono:ui-monospace,SFMono-Regular,"Cascadia Mono",Consolas,"Liberation Mono","DejaVu Sans Mono",monospace}
@media screen and (prefers-color-scheme:dark){:root{color-scheme:dark;${variables(palettes.dark)}}}
*,*::before,*::after{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%;scroll-padding-top:1rem}
body{margin:0;background:var(--paper);color:var(--ink);font:1rem/1.5 var(--sans);overflow-wrap:anywhere}
h1,h2{font-family:var(--serif);font-weight:600;line-height:1.2;text-wrap:balance;margin:0}
h1{font-size:clamp(1.75rem,1.3rem + 2vw,2.5rem);letter-spacing:-.01em}
h2{font-size:1.5rem}
h3{font-size:1rem;font-weight:600;margin:0}
p{margin:0;max-width:44rem}
a{color:var(--accent);text-underline-offset:.15em;text-decoration-thickness:.06em}
a:hover{text-decoration-thickness:.12em}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
.muted{color:var(--muted)}
.small{font-size:.875rem}
.error{color:var(--error)}.warning{color:var(--warning)}.info{color:var(--info)}.good{color:var(--good)}
.mono{font-family:var(--mono);font-size:.9em}
.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.mark{width:.7em;height:.7em;fill:currentColor;flex:none;margin-right:.4em}
table{border-collapse:collapse;width:100%;font-size:.875rem;line-height:1.4}
caption{text-align:left;font-weight:600;font-size:1rem;padding:0 0 .5rem}
caption .muted{font-weight:400;font-size:.875rem;display:block}
th,td{padding:.4rem .5rem;text-align:left;vertical-align:top;font-weight:400}
thead th{font-size:.8125rem;color:var(--muted);font-weight:600;vertical-align:bottom;border-bottom:1px solid var(--ink);white-space:nowrap}
tbody th,tbody td{border-bottom:1px solid var(--rule)}
th:first-child,td:first-child{padding-left:0}
th:last-child,td:last-child{padding-right:0}
.n{text-align:right;font-variant-numeric:lining-nums tabular-nums;white-space:nowrap}
.zero{color:var(--muted)}
.total{font-weight:600}
.net{font-weight:600}
td.net span,.net>span{border-bottom:3px double currentColor}
button,input,select{font:inherit;font-size:.875rem;color:inherit;background:var(--paper);border:1px solid var(--edge);border-radius:3px;padding:.35rem .5rem;min-height:2.25rem;max-width:100%}
button{cursor:pointer;background:var(--panel)}
button:hover{border-color:var(--ink)}
label{font-size:.8125rem;color:var(--muted)}
@media print{
:root{font-size:9.5pt}
body{background:none}
a{color:inherit;text-decoration:none}
thead{display:table-header-group}
tr,figure{break-inside:avoid}
h2,h3,caption{break-after:avoid}
}
`;
