import { chromium } from 'playwright-core';
const [,, origin, key, lang, w, dark, out, ...pages] = process.argv;
const b = await chromium.launch({executablePath:'/usr/bin/chromium', args:['--no-sandbox','--disable-quic']});
const c = await b.newContext({viewport:{width:+w,height:900}, locale:lang, colorScheme:dark==='1'?'dark':'light'});
await c.addInitScript(k => sessionStorage.setItem('piyasa:apiKey', k), key);
const p = await c.newPage(); p.on('pageerror', e=>console.log('ERR',e.message)); p.on('console', m=>m.type()==='error'&&console.log('console', m.text()));
let n=0; for (const path of pages) { await p.goto(origin+path); await p.waitForTimeout(2500); await p.screenshot({path:`${out}-${n++}.png`, fullPage: process.env.FULL==='1'}); }
await b.close();
