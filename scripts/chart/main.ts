/** `npm run chart`: the Helm chart from the manifests of deploy/, as a folder and as the archive that `helm install` takes. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { gzipSync } from 'node:zlib'
import { tarOf } from '../image/tar.ts'
import { chartFiles } from './chart.ts'

const HELP = `Usage: npm run chart -- [--out DIR]

  --out DIR  folder of the chart and its archive. Default: dist-chart
`
const root = join(import.meta.dirname, '../..')
const { values } = parseArgs({
  options: { out: { type: 'string', default: join(root, 'dist-chart') }, help: { type: 'boolean', default: false } },
})
if (values.help) process.stdout.write(HELP)
else writeChart(resolve(values.out))

function writeChart(out: string): void {
  const files = chartFiles(root)
  const folder = join(out, 'nodewave')
  rmSync(folder, { recursive: true, force: true })
  for (const [path, content] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
  const version = /^version: (.*)$/m.exec(files.get('Chart.yaml') ?? '')?.[1]
  const archive = join(out, `nodewave-${version}.tgz`)
  const entries = [...files].map(([path, content]) => ({ path: `nodewave/${path}`, mode: 0o644, content: Buffer.from(content) }))
  writeFileSync(archive, gzipSync(tarOf(entries)))
  for (const path of [folder, archive]) console.log(relative(process.cwd(), path))
}
