/** `npm run krew`: the archive of the plugin `kubectl nodewave`, and its manifest for krew. */
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { gzipSync } from 'node:zlib'
import { buildPackage } from '../build-package.ts'
import { packageEntries } from '../image/controller-root.ts'
import { tarOf } from '../image/tar.ts'
import { pluginManifest } from './manifest.ts'

const HELP = `Usage: npm run krew -- --url URL [options]

  --url URL       where the archive will be downloaded from, without its name
  --homepage URL  page of the project. Default: the URL
  --out DIR       folder of the files. Default: dist-krew
`
const root = join(import.meta.dirname, '../..')
const { values } = parseArgs({
  options: {
    url: { type: 'string' },
    homepage: { type: 'string' },
    out: { type: 'string', default: join(root, 'dist-krew') },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) process.stdout.write(HELP)
else if (values.url === undefined) throw new Error('name the place of the archive with --url')
else await writePlugin(resolve(values.out), { url: values.url, homepage: values.homepage ?? values.url })

async function writePlugin(out: string, { url, homepage }: { readonly url: string; readonly homepage: string }): Promise<void> {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const dist = mkdtempSync(join(tmpdir(), 'nodewave-krew-'))
  await buildPackage(root, dist)
  const content = gzipSync(tarOf(packageEntries(root, dist)))
  rmSync(dist, { recursive: true })
  const archive = `kubectl-nodewave-${version}.tar.gz`
  const sha256 = createHash('sha256').update(content).digest('hex')
  const template = readFileSync(join(root, 'scripts/krew/manifest.yaml'), 'utf8')
  mkdirSync(out, { recursive: true })
  writeFileSync(join(out, archive), content)
  writeFileSync(join(out, 'nodewave.yaml'), pluginManifest(template, { version, url, archive, sha256, homepage }))
  for (const name of [archive, 'nodewave.yaml']) console.log(relative(process.cwd(), join(out, name)))
}
