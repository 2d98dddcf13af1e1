import { execFileSync } from 'node:child_process'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { bundleAgent } from './bundle-agent.ts'
import { writeSbom } from './write-sbom.ts'

/** Plain JavaScript of `src/`, the agent as one file that a host can run with Node alone, and what they depend on. */
export async function buildPackage(root: string, folder: string): Promise<void> {
  execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', 'tsconfig.build.json', '--outDir', folder], {
    cwd: root,
    stdio: 'inherit',
  })
  cpSync(join(root, 'src/dashboard/page'), join(folder, 'dashboard/page'), { recursive: true })
  await bundleAgent(folder)
  writeSbom(root, folder)
}
