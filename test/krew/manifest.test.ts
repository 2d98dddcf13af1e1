/** The rules are those that krew itself checks of a manifest before it installs a plugin, or takes one into its index. */
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import * as z from 'zod'
import { pluginManifest } from '../../scripts/krew/manifest.ts'

const root = join(import.meta.dirname, '../..')
const template = readFileSync(join(root, 'scripts/krew/manifest.yaml'), 'utf8')

const labels = z.record(z.enum(['os', 'arch']), z.string())
const requirement = z.strictObject({
  key: z.enum(['os', 'arch']),
  operator: z.enum(['In', 'NotIn']),
  values: z.array(z.string()).min(1),
})
const plugin = z.strictObject({
  apiVersion: z.literal('krew.googlecontainertools.github.com/v1alpha2'),
  kind: z.literal('Plugin'),
  metadata: z.strictObject({ name: z.string().regex(/^[\w-]+$/) }),
  spec: z.strictObject({
    version: z.string().regex(/^v\d+\.\d+\.\d+(?:-[\w.]+)?$/),
    homepage: z.url({ protocol: /^https$/ }),
    shortDescription: z
      .string()
      .min(1)
      .max(50)
      .regex(/^[^\n]*[^.\n]$/),
    description: z.string().min(1),
    caveats: z.string(),
    platforms: z
      .array(
        z.strictObject({
          uri: z.url({ protocol: /^https$/ }),
          sha256: z.string().regex(/^[a-f0-9]{64}$/),
          bin: z.string().regex(/^[^/.]/),
          selector: z.strictObject({ matchLabels: labels.optional(), matchExpressions: z.array(requirement).optional() }),
        }),
      )
      .min(1),
  }),
})

const release = {
  ...{ version: '1.2.3', archive: 'kubectl-nodewave-1.2.3.tar.gz', sha256: 'a'.repeat(64) },
  ...{ url: 'https://example.com/releases/v1.2.3/', homepage: 'https://example.com' },
}

test('the manifest of a release is what krew takes', () => {
  const manifest = plugin.parse(parse(pluginManifest(template, release)))

  expect(manifest.spec.version).toBe('v1.2.3')
  expect(manifest.spec.platforms.map(({ uri, sha256 }) => [uri, sha256])).toEqual([
    ['https://example.com/releases/v1.2.3/kubectl-nodewave-1.2.3.tar.gz', 'a'.repeat(64)],
  ])
})

test('the template without its values is refused, as is a manifest with a broken checksum', () => {
  const broken = pluginManifest(template, { ...release, sha256: 'none' })
  expect(plugin.safeParse(parse(broken)).success).toBe(false)
  expect(() => pluginManifest('version: {{release}}', release)).toThrow('fill in "{{release}}" of the krew manifest')
})

test('what the manifest starts is an executable file of the package', () => {
  const [platform] = plugin.parse(parse(pluginManifest(template, release))).spec.platforms
  expect(statSync(join(root, platform?.bin ?? '')).mode & 0o111).not.toBe(0)
})
