/** Fetches and reads a fleet, as the controller does; prints the memory that it took. Arguments: address, folder for objects. */

import { objectStore } from '../../src/gitsync/object-store.ts'
import { readSnapshot } from '../../src/gitsync/read-snapshot.ts'
import { createRemoteSource } from '../../src/gitsync/remote-source.ts'
import { usageOf } from './process-usage.ts'

const [url = '', directory = ''] = process.argv.slice(2)
const source = createRemoteSource({ url, ref: { branch: 'main' }, folder: 'repo', directory })
const found = await source.fetch(new AbortController().signal).then(
  async ({ commit, gitdir }) => (await readSnapshot(objectStore(gitdir), commit, { folder: 'repo' })).files.size,
  (error: Error) => error.message.slice(0, 60),
)
const { peak } = await usageOf(process.pid)
console.log(JSON.stringify({ peak, files: typeof found === 'number' ? `${found} files` : found }))
