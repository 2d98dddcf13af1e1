/** `npm run image`: the images of controller and agent as OCI archives, and the agent's folder as tarball and package. No daemon, no base image. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { buildPackage } from '../build-package.ts'
import { writeChecksums } from './checksums.ts'
import type { Architecture } from './debian-packages.ts'
import { buildAgentDebs, buildAgentImage, buildAgentRpms, buildAgentTarballs, buildControllerImage } from './images.ts'

const HELP = `Usage: npm run image -- [options]

  --arch ARCH      amd64 or arm64; repeatable. Default: both
  --prefix PREFIX  registry and first part of the names. Default: docker.io/library/
  --out DIR        folder of the files. Default: dist-image
  --nfpm PATH      program nfpm, which makes packages of rpm. Default: none are made
  --sign-key FILE  armored OpenPGP key without passphrase; signs packages of rpm, and SHA256SUMS. Default: nothing is signed
`
const ARCHITECTURES: readonly Architecture[] = ['amd64', 'arm64']
const root = join(import.meta.dirname, '../..')

const { values } = parseArgs({
  options: {
    arch: { type: 'string', multiple: true, default: [...ARCHITECTURES] },
    prefix: { type: 'string', default: 'docker.io/library/' },
    out: { type: 'string', default: join(root, 'dist-image') },
    nfpm: { type: 'string' },
    'sign-key': { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) process.stdout.write(HELP)
else await main()

async function main(): Promise<void> {
  const architectures = values.arch.map(architectureOf)
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const dist = mkdtempSync(join(tmpdir(), 'nodewave-dist-'))
  await buildPackage(root, dist)
  const options = { root, dist, version, architectures, prefix: values.prefix, out: resolve(values.out) }
  const built = [
    await buildControllerImage(options),
    await buildAgentImage(options),
    ...(await buildAgentTarballs(options)),
    ...(await buildAgentDebs(options)),
    ...(values.nfpm === undefined ? [] : await buildAgentRpms({ ...options, nfpm: values.nfpm, signKey: values['sign-key'] })),
  ]
  rmSync(dist, { recursive: true })
  for (const { path, digest } of built) console.log(`${relative(process.cwd(), path)}  ${digest}`)
  for (const path of await writeChecksums(options.out, values['sign-key'])) console.log(relative(process.cwd(), path))
}

function architectureOf(name: string): Architecture {
  const found = ARCHITECTURES.find((each) => each === name)
  if (found === undefined) throw new Error(`invalid --arch "${name}": expected one of ${ARCHITECTURES.join(', ')}`)
  return found
}
