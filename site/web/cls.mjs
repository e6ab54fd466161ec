import { chromium } from 'playwright-core';
const [,, origin, key, w, ...pages] = process.argv;
const b = await chromium.launch({executablePath:'/usr/bin/chromium', args:['--no-sandbox','--disable-quic']});
for (const path of pages) {
  const c = await b.newContext({viewport:{width:+w,height:900}});
  await c.addInitScript(k => { sessionStorage.setItem('piyasa:apiKey', k); window.__s=[]; const d=n=>n?.nodeType===1?n.tagName+'.'+n.className+'#'+(n.id||n.getAttribute('aria-labelledby')||''):String(n?.nodeName); new PerformanceObserver(l=>{for(const e of l.getEntries()) if(!e.hadRecentInput) window.__s.push([Math.round(e.startTime), e.value.toFixed(3), e.sources.map(s=>d(s.node)+' '+Math.round(s.previousRect.y)+'+'+Math.round(s.previousRect.height)+'>'+Math.round(s.currentRect.y)+'+'+Math.round(s.currentRect.height)).join(' ; ')])}).observe({type:'layout-shift',buffered:true}); }, key);
  const p = await c.newPage(); const cdp = await c.newCDPSession(p); await cdp.send('Emulation.setCPUThrottlingRate',{rate:4});
  await p.goto(origin+path,{waitUntil:'load'}); await p.waitForTimeout(4000);
  console.log('##',path); for (const s of await p.evaluate(()=>window.__s)) console.log('  ', s.join(' '));
  await c.close();
}
await b.close();
