/** The program that `bench/agent-observe.ts` bundles: looks at 60 files that are as they should be, over and over, and prints how long it took. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { HostTree } from '../../src/agent/adapters/host-tree.ts'
import { nodeFiles } from '../../src/agent/adapters/node-files.ts'
import { file } from '../../src/agent/resources/file.ts'
import type { HostHands } from '../../src/agent/resources/kind.ts'

const FILES = 60
const LOOKS = 30

const root = await mkdtemp(join(tmpdir(), 'nodewave-observe-'))
const files = nodeFiles(new HostTree(root))
/** No file needs them. */
const others: Omit<HostHands, 'files'> = {
  services: undefined as never,
  kernel: undefined as never,
  trustStore: undefined as never,
  bootMenu: undefined as never,
  packages: undefined as never,
  accounts: undefined as never,
  steps: undefined as never,
}
const specs = Array.from({ length: FILES }, (_, index) => ({
  path: `/etc/systemd/system/service-${index}.service.d/10-nodewave.conf`,
  content: { bytes: Buffer.from(`[Service]\nEnvironment=INDEX=${index}\n`.repeat(20)) },
}))
for (const { path, content } of specs) await files.writeAtomic(path, content.bytes)
const resources = specs.map((spec) => file.of(spec))
const times: number[] = []
for (let look = 0; look < LOOKS; look++) {
  const [start, cpu] = [performance.now(), process.cpuUsage()]
  for (const resource of resources)
    if ((await resource.observe({ files, ...others })).change !== undefined) throw new Error(`"${resource.subject}" differs`)
  const { user, system } = process.cpuUsage(cpu)
  times.push(performance.now() - start, (user + system) / 1000)
}
await rm(root, { recursive: true })
process.stdout.write(JSON.stringify(times))
