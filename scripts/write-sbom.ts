import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

interface Dependency {
  readonly ref: string
  readonly dependsOn?: readonly string[]
}

interface Bom {
  serialNumber?: string
  readonly metadata: { timestamp?: string; readonly component: { name: string; readonly 'bom-ref': string } }
  components: readonly { readonly 'bom-ref': string }[]
  dependencies: readonly Dependency[]
}

/** Writes what the package depends on at run time, as CycloneDX. Equal dependencies give an equal file: it has no time and no number. */
export function writeSbom(root: string, folder: string): void {
  const args = ['sbom', '--sbom-format=cyclonedx', '--package-lock-only', '--workspaces=false']
  const bom = JSON.parse(execFileSync('npm', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })) as Bom
  const { name, dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  delete bom.serialNumber
  delete bom.metadata.timestamp
  // npm takes the name of the folder.
  bom.metadata.component.name = name
  keepRunTime(bom, dependencies)
  writeFileSync(join(folder, 'sbom.cdx.json'), `${JSON.stringify(bom, null, 2)}\n`)
}

/** `--omit=dev` also leaves out what is needed for both, such as yaml. */
function keepRunTime(bom: Bom, wanted: Readonly<Record<string, string>>): void {
  const own = bom.metadata.component['bom-ref']
  const direct = Object.entries(wanted).map(([name, version]) => `${name}@${version}`)
  const graph = new Map(bom.dependencies.map(({ ref, dependsOn = [] }) => [ref, dependsOn]))
  const kept = new Set(direct)
  // A set is walked in the order of insertion, and what is added meanwhile is walked too.
  for (const ref of kept) for (const next of graph.get(ref) ?? []) kept.add(next)
  bom.components = bom.components.filter((component) => kept.has(component['bom-ref']))
  const others = bom.dependencies.filter(({ ref }) => kept.has(ref))
  bom.dependencies = [{ ref: own, dependsOn: direct }, ...others]
}
