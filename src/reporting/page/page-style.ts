/** The layout of the morning page, on top of the shared style. */
export const pageStyle = `
.page{max-width:76rem;margin:0 auto;padding:clamp(1.25rem,4vw,3.5rem) clamp(1rem,4vw,3rem) 4rem}
.eyebrow{color:var(--muted);font-size:.875rem;margin-bottom:.35rem}
.top{border-bottom:3px double var(--ink);padding-bottom:2rem}
.morning{display:grid;gap:2rem 4rem;margin-top:1.25rem;grid-template-columns:minmax(0,1fr) minmax(0,24rem);align-items:start}
.verdict{font:400 1.375rem/1.35 var(--serif);max-width:34rem;text-wrap:balance}
.alerts{list-style:none;margin:1rem 0 0;padding:0;max-width:44rem}
.alerts li{padding:.15rem 0 .15rem 1.1em;text-indent:-1.1em}
.alerts .reason{text-indent:0}
.figures{display:flex;flex-wrap:wrap;gap:1rem 2.5rem;margin:1.75rem 0 0}
.figures div{display:flex;flex-direction:column-reverse}
.figures dd{margin:0;font:400 2rem/1.1 var(--serif);font-variant-numeric:lining-nums}
.figures dt{color:var(--muted);font-size:.8125rem}
table.risk{background:var(--panel);border-collapse:separate;border-spacing:0;padding:1rem 1.25rem;border-radius:4px}
table.risk caption{caption-side:top;padding-bottom:.5rem}
table.risk td.n{font-size:1rem}
table.risk tbody tr:last-child>*{border-bottom:0}
tfoot{display:table-row-group}
table.risk tfoot td{color:var(--muted);font-size:.8125rem;border-top:1px solid var(--rule);padding-bottom:0}
.contents{display:flex;flex-wrap:wrap;gap:.25rem 1.5rem;padding:.9rem 0;border-bottom:1px solid var(--rule);font-size:.875rem}
section{margin-top:3.5rem}
section>h2{margin-bottom:1rem}
section>*+table{margin-top:2.25rem}
section>h2+table{margin-top:0}
section>*+h3{margin-top:2.25rem}
section>h2+h3{margin-top:0}
.slim{max-width:46rem}
.lede a{white-space:nowrap}
.lede{margin-bottom:.5rem;color:var(--muted)}
.more{margin-top:.6rem;font-size:.875rem}
.reason,.sentence,.todo,.where,.line{display:block}
.reason{color:var(--muted);font-weight:400}
.code{font-weight:600;font-size:.8125rem;letter-spacing:.01em}
.word{font-size:.8125rem}
.tag{display:inline-block;border:1px solid var(--edge);border-radius:2px;padding:0 .35em;font-size:.75rem;line-height:1.5;color:var(--ink);margin-left:.35rem}
.once,td>.error,td>.warning,td>.info,td>.good,th>.error,th>.warning,th>.info{white-space:nowrap}
.key{font-family:var(--mono);font-size:.8125rem}
.day{white-space:nowrap;font-variant-numeric:lining-nums tabular-nums}
table.items .sentence{margin-top:.15rem;max-width:44rem}
table.items .todo{color:var(--muted);max-width:44rem}
table.items .where{margin-top:.2rem;font-size:.75rem;color:var(--muted)}
.fact+.fact::before{content:"· "}
table.items th:first-child{width:50%}
table.items td:nth-child(2){width:9rem}
table.items .line{color:var(--muted);font-size:.8125rem}
table.causes th:first-child{width:34%}
.state>*{padding-top:.9rem}
table.ages tbody:first-of-type .state>*{padding-top:.4rem}
table.ages tbody tr:not(.state)>th{padding-left:1.25rem}
table.ages tr:not(:last-child)>*{border-bottom:0;padding-bottom:.15rem}
table.ages tr:not(.state)>*{padding-top:.15rem}
table.ages tbody tr:last-child>*{padding-bottom:.6rem}
.state th .muted{font-size:.8125rem}
.controls{display:flex;flex-wrap:wrap;gap:.75rem 1rem;align-items:end;background:var(--panel);border-radius:4px;padding:.9rem 1.1rem;margin:1rem 0 0}
.controls label{display:flex;flex-direction:column;gap:.15rem;min-width:0}
.controls .check{flex-direction:row;align-items:center;min-height:2.25rem}
.controls .check input{min-height:0}
.controls p{flex-basis:100%}
.controls p:empty{position:absolute}
[hidden]{display:none!important}
.sort{all:unset;cursor:pointer;font-weight:600}
.sort:hover{color:var(--ink);text-decoration:underline}
.sort:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
[aria-sort]{color:var(--ink)}
[aria-sort=ascending] .sort::after{content:" ↑"}
[aria-sort=descending] .sort::after{content:" ↓"}
.charts{display:grid;grid-template-columns:repeat(3,minmax(0,1fr));gap:2rem 3rem}
figure{margin:0}
figcaption{font-size:.875rem;margin-bottom:.5rem;display:flex;justify-content:space-between;gap:1rem}
.now-figure{font-variant-numeric:lining-nums tabular-nums}
figure svg{display:block;width:100%;height:auto}
.then{fill:var(--edge)}
.now{fill:var(--accent)}
.then .below,.now .below{opacity:.55}
.axis{stroke:var(--ink);stroke-width:.6}
.axis-text{display:flex;justify-content:space-between;margin-top:.35rem}
.foot a{margin-left:.75rem;display:inline-block}
.foot{margin-top:4rem;border-top:1px solid var(--rule);padding-top:1rem;font-size:.875rem;color:var(--muted)}
@media screen and (max-width:60rem){
.morning{grid-template-columns:minmax(0,1fr)}
}
@media screen and (max-width:56rem){
section{margin-top:2.75rem}
.charts{grid-template-columns:minmax(0,1fr)}
.figures{gap:1rem 1.75rem}
.stack{max-width:34rem}
table.stack:not(.risk),.stack:not(.risk) tbody,.stack:not(.risk) caption{display:block}
.stack:not(.risk) thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
.stack:not(.risk) tr{display:block;padding:.6rem 0;border-bottom:1px solid var(--rule)}
.stack:not(.risk) th,.stack:not(.risk) td{display:block;border:0;padding:.1rem 0;width:auto!important}
.stack:not(.risk) tbody th{font-weight:600;padding-left:0!important;padding-bottom:.2rem}
.stack:not(.risk) tbody th>span{font-weight:400}
.stack:not(.risk) td[data-label]{display:grid;grid-template-columns:minmax(6.5rem,auto) minmax(0,1fr);column-gap:1rem}
.stack:not(.risk) td[data-label]>*{grid-column:2}
.stack:not(.risk) td::before{content:attr(data-label);color:var(--muted);grid-row:1/span 9;text-align:left;font-weight:400}
.stack:not(.risk) td.net span{justify-self:end}
table.risk{padding:.75rem}
table.risk td.n{font-size:.875rem;white-space:normal}
.stack:not(.risk) td.zero{display:none}
.stack:not(.risk) td.n{white-space:normal}
td>.error,td>.warning,td>.info,td>.good,th>.error,th>.warning,th>.info{white-space:normal}
.items td[data-label]{text-align:right}
.controls label,.controls input[type=search],.controls select{width:100%}
.controls .check input{width:auto}
}
@media print{
:root{font-size:9pt}
table{font-size:.78rem}
th,td{padding:.3rem .3rem}
thead th{white-space:normal;font-size:.72rem}
.key{font-size:.64rem}
@page{margin:14mm 12mm}
.page{max-width:none;padding:0}
.contents,.controls{display:none!important}
section{margin-top:1.6rem}
table.risk{background:none;border:1px solid var(--rule)}
}
`;
