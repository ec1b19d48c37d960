import type { IncomingMessage, ServerResponse } from 'node:http'
import { hashSource } from '../../platform/text/html.ts'
import { sendError, sendText } from '../http/respond.ts'

/**
 * The page that app SDKs load in an invisible web view and the web SDK in a frame, to tell whether both run on the
 * same device (docs/reference/device-protocol.md section 13, U2). It says READY, waits for REQUEST_FINGERPRINT,
 * answers FINGERPRINT_GENERATED.
 *
 * It reads a few properties that every page can see and that are equal in a browser and a web view of the same phone.
 * All values are strings. The Android version is requested, because Chrome writes 10 into every user agent. With
 * Global Privacy Control or Do Not Track the page returns no components, so nothing ever matches.
 */
const SCRIPT = `
(function(){
function send(message,to,origin){
if(window.Android&&window.Android.postClientMessage)return window.Android.postClientMessage(JSON.stringify(message));
var handlers=window.webkit&&window.webkit.messageHandlers;
if(handlers&&handlers.printHandler)return handlers.printHandler.postMessage(message);
if(to||window.parent!==window)(to||window.parent).postMessage(message,origin||'*')}
function version(){
var ua=navigator.userAgent,apple=/(?:iPhone OS|CPU OS) (\\d+)/.exec(ua),android=/Android (\\d+)/.exec(ua);
if(apple)return Promise.resolve(['iOS',apple[1]]);
if(/Macintosh/.test(ua)&&navigator.maxTouchPoints>1)return Promise.resolve(['iOS','']);
if(!android)return Promise.resolve(['other','']);
var said=/Android 10; K\\)/.test(ua)?'':android[1],data=navigator.userAgentData;
if(!data||!data.getHighEntropyValues)return Promise.resolve(['Android',said]);
return data.getHighEntropyValues(['platformVersion']).then(function(v){var major=String(v.platformVersion||'').split('.')[0];return['Android',major&&major!=='0'?major:said]},function(){return['Android',said]})}
function components(){
if(navigator.globalPrivacyControl===true||navigator.doNotTrack==='1')return Promise.resolve({});
return version().then(function(system){
var size=[screen.width,screen.height].sort(function(a,b){return a-b}),zone='';
try{zone=Intl.DateTimeFormat().resolvedOptions().timeZone||''}catch(e){}
return{platform:system[0],osMajor:system[1],screen:size.join('x'),pixelRatio:String(Math.round((window.devicePixelRatio||1)*100)/100),language:String(navigator.language||'').toLowerCase().split('-')[0],timeZone:zone}})}
function hear(message,to,origin){
if(typeof message==='string'){try{message=JSON.parse(message)}catch(e){return}}
if(message&&message.type==='REQUEST_FINGERPRINT')components().then(function(found){send({type:'FINGERPRINT_GENERATED',data:{components:found}},to,origin)})}
window.postHostMessage=function(message){hear(message)};
window.addEventListener('message',function(event){if(event.source&&event.source!==window)hear(event.data,event.source,event.origin==='null'?'*':event.origin)});
send({type:'READY'});
})();
`

const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="robots" content="noindex">
<title>Device check</title>
<link rel="icon" href="data:,">
<body>
<script>${SCRIPT}</script>
</body>
</html>
`

/** Any page may frame it, as intended: it tells nothing that the embedding page could not read itself. */
const HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  // The Android SDK makes its web view use stale cache entries, so nothing may be cached.
  'Cache-Control': 'no-store',
  'Content-Security-Policy': [
    "default-src 'none'",
    `script-src ${hashSource(SCRIPT)}`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    'frame-ancestors *',
  ].join('; '),
}

/** Answers with the page, on any path of its host. Returns the name of the request in metrics. */
export function sendFingerprintPage(request: IncomingMessage, response: ServerResponse): string {
  if (request.method === 'GET' || request.method === 'HEAD')
    sendText(request, response, { text: PAGE, headers: HEADERS })
  else sendError(request, response, 405, `${request.method} is not supported here: use GET`, { Allow: 'GET, HEAD' })
  return 'fingerprint'
}
