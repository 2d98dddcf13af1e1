/** Writes the Grafana dashboard, and the ConfigMap that Grafana's sidecar finds, from scripts/grafana; a test fails when they are stale. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { grafanaFiles } from './grafana/files.ts'

for (const [path, text] of grafanaFiles()) {
  const file = join(import.meta.dirname, '..', path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
