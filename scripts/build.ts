/** Builds what the package ships: `dist/` as plain JavaScript, the agent as one file that a host can run with Node alone, and what they depend on. */
import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { bundleAgent } from './bundle-agent.ts'
import { writeSbom } from './write-sbom.ts'

const root = join(import.meta.dirname, '..')
rmSync(join(root, 'dist'), { recursive: true, force: true })
execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' })
await bundleAgent(join(root, 'dist'))
writeSbom(root, join(root, 'dist'))
