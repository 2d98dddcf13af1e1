/** Fill the cache and do no more: `node test/e2e/build/main.ts`. */
import { fillCache } from './fill-cache.ts'

await fillCache((line) => console.log(line))
