/**
 * Runs in the visitor's browser; the page also works without it. The link is read from an attribute, so that the script
 * is the same for every link. The store opens only after copying is done, because a browser that leaves the page aborts
 * it. On a Mac without a touch screen it goes on to the desktop page, or leaves the QR code there.
 */
export const SCRIPT = `
(function(){
var root=document.documentElement,desktop=root.getAttribute('data-desktop');
if(root.hasAttribute('data-code')){if(navigator.maxTouchPoints>1)root.className='is-touch'}
else if(desktop){if(!(navigator.maxTouchPoints>1)){location.replace(desktop);return}root.className=''}
document.addEventListener('DOMContentLoaded',function(){
var store=document.getElementById('store'),button=document.getElementById('copy'),said=document.getElementById('said'),shown=document.getElementById('link');
if(!button)return;
var link=button.getAttribute('data-link');
function old(){var t=document.createElement('textarea'),ok=false;t.value=link;t.readOnly=true;t.style.position='fixed';t.style.opacity='0';document.body.appendChild(t);t.select();t.setSelectionRange(0,link.length);try{ok=document.execCommand('copy')}catch(e){}t.remove();return ok?Promise.resolve():Promise.reject(new Error('copy'))}
function copy(){try{if(navigator.clipboard&&navigator.clipboard.writeText)return navigator.clipboard.writeText(link).catch(old)}catch(e){}return old()}
button.hidden=document.getElementById('why').hidden=false;
button.addEventListener('click',function(){copy().then(function(){shown.hidden=true;said.textContent=said.getAttribute('data-yes')},function(){said.textContent=said.getAttribute('data-no');shown.hidden=false;button.focus()})});
store.addEventListener('click',function(event){
if(event.metaKey||event.ctrlKey||event.shiftKey)return void copy().catch(function(){});
event.preventDefault();
var gone=false;
function go(){if(!gone){gone=true;location.assign(store.href)}}
copy().then(go,go);setTimeout(go,800)});
});
})();
`
