/**
 * What `--disable-proto=delete` does, for threads and starts that cannot be given a flag of Node: a `__proto__` key in somebody's JSON
 * is a key like any other. Imported for this, before everything else.
 */
Reflect.deleteProperty(Object.prototype, '__proto__')
