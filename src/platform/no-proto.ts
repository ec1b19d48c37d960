/**
 * The effect of `--disable-proto=delete` where Node cannot be given a flag (threads, the executable): a `__proto__` key in JSON
 * is then a key like any other. It must be imported before everything else.
 */
Reflect.deleteProperty(Object.prototype, '__proto__')
