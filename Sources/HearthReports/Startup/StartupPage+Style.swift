extension StartupPage {
    /// The style sheet. Colours are those of Okabe and Ito ("Color universal design", 2008), which colour-blind readers
    /// can distinguish, darkened or lightened for the colour scheme.
    package static let style = """

        :root { --paper:#fbfaf8; --card:#fff; --ink:#1d1b19; --soft:#6b655e; --line:#e6e1da; --grid:#eeeae4;
          --alarm:#b3261e; --alarm-paper:#fdf1ef; --calm:#1e7a4f; --fire:#d9622b;
          --c0:#0072b2; --c1:#d55e00; --c2:#009e73; --c3:#a3528a; --c4:#8a6d00; --c5:#3a8fc2;
          --part0:#8a5a83; --part1:#3b7ea1; --part2:#e08a3c; }
        @media (prefers-color-scheme: dark) { :root { --paper:#161412; --card:#1f1c1a; --ink:#f2eee9; --soft:#a39b92;
          --line:#35302c; --grid:#2a2623; --alarm:#ff8a7a; --alarm-paper:#2c1b18; --calm:#6fd3a2; --fire:#ff9a62;
          --c0:#56a8e8; --c1:#ff9147; --c2:#3fcf9f; --c3:#d98ec4; --c4:#e0bd3a; --c5:#8fcdf0;
          --part0:#b58aae; --part1:#62a7cb; --part2:#f0a864; } }
        * { box-sizing:border-box; }
        html { background:var(--paper); color:var(--ink); -webkit-text-size-adjust:100%; }
        body { margin:0; font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",sans-serif;
          font-variant-numeric:tabular-nums; }
        main { max-width:1120px; margin:0 auto; padding:48px 24px 64px; }
        code { font:0.92em/1.4 ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace; }
        header { margin-bottom:36px; }
        .brand { margin:0; color:var(--fire); font-weight:650; letter-spacing:.02em; }
        h1 { margin:2px 0 8px; font-size:34px; line-height:1.15; letter-spacing:-.02em; font-weight:680; }
        h2 { margin:0 0 4px; font-size:21px; letter-spacing:-.01em; font-weight:650; overflow-wrap:anywhere; }
        h3 { margin:0; font-size:15px; font-weight:620; overflow-wrap:anywhere; }
        .lead { margin:0; color:var(--soft); } .lead b { color:var(--ink); font-weight:620; }
        section { margin:0 0 28px; }
        .calm { border-left:3px solid var(--calm); padding:2px 0 2px 16px; } .calm h2 { font-size:17px; }
        .calm p { margin:0; color:var(--soft); }
        .count { color:var(--alarm); font-weight:500; }
        .regressions { list-style:none; margin:12px 0 0; padding:0; display:grid; gap:10px; }
        .regressions li { display:grid; grid-template-columns:112px 1fr; gap:18px; background:var(--alarm-paper);
          border-left:3px solid var(--alarm); border-radius:0 8px 8px 0; padding:14px 18px; break-inside:avoid; }
        .regressions div { min-width:0; overflow-x:auto; } .regressions p { margin:0; overflow-wrap:anywhere; } .rise { color:var(--alarm);
          font-size:25px; line-height:1.15; font-weight:650; letter-spacing:-.02em; }
        .rise small { display:block; letter-spacing:0; }
        .regressions table { width:auto; margin:4px 0 2px; font-size:14px; } .regressions td { border:none;
          padding:1px 22px 1px 0; } .regressions td b { font-weight:620; } .why code { color:var(--alarm); } .facts { color:var(--soft); font-size:13px; margin-top:2px !important; }
        .model { background:var(--card); border:1px solid var(--line); border-radius:12px; padding:24px 26px; }
        .device { margin:0; color:var(--soft); overflow-wrap:anywhere; }
        .profiles { list-style:none; margin:14px 0 18px; padding:0; display:grid; gap:3px; font-size:13.5px;
          color:var(--soft); }
        .profiles li { overflow-wrap:anywhere; } .profiles code { color:var(--ink); margin-right:4px; }
        .profiles em { font-style:normal; color:var(--ink); white-space:nowrap; }
        .profiles em::before { content:"· "; color:var(--soft); }
        .swatch { display:inline-block; width:10px; height:10px; border-radius:50%; margin-right:8px; }
        .panels { display:grid; grid-template-columns:repeat(auto-fill,minmax(290px,1fr)); gap:8px 24px; }
        figure { margin:0 0 20px; break-inside:avoid; min-width:0; }
        figcaption { font-weight:600; font-size:14px; margin-bottom:6px; display:flex; flex-wrap:wrap; gap:0 10px;
          align-items:baseline; }
        small { color:var(--soft); font-weight:400; font-size:12.5px; }
        .keys { margin-left:auto; font-weight:400; font-size:12.5px; color:var(--soft); }
        .keys i { display:inline-block; width:10px; height:10px; border-radius:2px; margin:0 6px 0 12px; }
        svg { display:block; width:100%; height:auto; overflow:visible; }
        svg text { fill:var(--soft); font:11px system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;
          font-variant-numeric:tabular-nums; }
        .tick { text-anchor:end; } .grid { stroke:var(--grid); } .base { stroke:var(--line); }
        .change { stroke:var(--soft); stroke-dasharray:2 3; opacity:.6; }
        .median { stroke-width:2; stroke-linecap:round; } .dot { fill-opacity:.55; }
        svg .kind, svg .total { fill:var(--ink); font-size:13px; }
        svg .digest { font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace; }
        .c0 { stroke:var(--c0); fill:var(--c0); } .c1 { stroke:var(--c1); fill:var(--c1); }
        .c2 { stroke:var(--c2); fill:var(--c2); } .c3 { stroke:var(--c3); fill:var(--c3); }
        .c4 { stroke:var(--c4); fill:var(--c4); } .c5 { stroke:var(--c5); fill:var(--c5); }
        .dot { stroke:none; } .swatch.c0 { background:var(--c0); } .swatch.c1 { background:var(--c1); }
        .swatch.c2 { background:var(--c2); } .swatch.c3 { background:var(--c3); } .swatch.c4 { background:var(--c4); }
        .swatch.c5 { background:var(--c5); }
        .part0 { fill:var(--part0); background:var(--part0); } .part1 { fill:var(--part1); background:var(--part1); }
        .part2 { fill:var(--part2); background:var(--part2); }
        .wide { overflow-x:auto; } .wide svg { min-width:640px; }
        table { border-collapse:collapse; width:100%; font-size:13px; white-space:nowrap; }
        caption { text-align:left; color:var(--soft); font-size:12.5px; padding:0 0 6px; white-space:normal; }
        th { color:var(--soft); font-weight:500; font-size:12.5px; text-align:right; padding:6px 0 6px 10px;
          border-bottom:1px solid var(--line); }
        td { text-align:right; padding:8px 0 8px 10px; border-bottom:1px solid var(--grid); vertical-align:top; }
        td small { display:block; line-height:1.4; font-size:11px; } .none { color:var(--soft); }
        th:nth-child(-n+2), td.name { text-align:left; } th:first-child, td:first-child { padding-left:0; }
        tr:last-child td { border-bottom:none; } tbody tr { break-inside:avoid; }
        footer { color:var(--soft); font-size:13px; max-width:72ch; } footer p { margin:0 0 8px; }
        @media (max-width:640px) { main { padding:28px 16px; } h1 { font-size:27px; } .model { padding:18px 16px; }
          .regressions li { grid-template-columns:1fr; gap:4px; } .keys { margin-left:0; } .keys i:first-child {
          margin-left:0; } }
        @media print { :root { --paper:#fff; --card:#fff; --ink:#000; --soft:#444; --line:#bbb; --grid:#ddd;
          --alarm:#900; --alarm-paper:#fff; } main { max-width:none; padding:0; } .model { border:none; padding:0; }
          .wide { overflow:visible; } .dot { fill-opacity:.8; }
          * { -webkit-print-color-adjust:exact; print-color-adjust:exact; } }

        """
}
