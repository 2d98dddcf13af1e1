/** Fill the cache and do no more: `node test/e2e/build/main.ts`. */
import { Command } from 'commander'
import { fillCache } from './fill-cache.ts'

new Command('node test/e2e/build/main.ts')
  .description('build what the end-to-end suite runs, where the cache lacks it; that takes many minutes when it is empty')
  .addHelpText('after', '\nExample:\n  node test/e2e/build/main.ts')
  .parse()
await fillCache((line) => console.log(line))
