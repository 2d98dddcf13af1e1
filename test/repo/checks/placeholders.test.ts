import { expect, test } from 'vitest'
import { aDocument, problemsOf } from '../fleets.ts'

const ZEROS = '0'.repeat(64)
const SUM = 'a'.repeat(64)
const profile = (spec: string) => ({ 'h.yaml': aDocument('HostProfile', 'h', `spec:\n${spec}`) })

/** Place and message of each. */
function told(files: Readonly<Record<string, string>>): string[] {
  return problemsOf(files).map((problem) => {
    const [place = '', message = ''] = problem.split('\n').filter((_, index) => index !== 1)
    return `${place.split(' ')[0]}${message}`
  })
}

const warning = (of: string) => `  warning: the checksum of ${of} is a placeholder: agents will refuse every download`

test('a checksum of zeros is let through with a warning where a file is downloaded', () => {
  const download = (sha256: string) => `  files:\n    - path: /a\n      download: {url: "https://x/a", sha256: ${sha256}}\n`

  expect(told(profile(download(`"${ZEROS}"`)))).toEqual([`h.yaml:7:46${warning('/a')}`])
  expect(told(profile(download(`{amd64: "${SUM}", arm64: "${ZEROS}"}`)))).toEqual([`h.yaml:7:129${warning('/a for arm64')}`])
  expect(told(profile(download(`"${SUM}"`)))).toEqual([])
})

test('a checksum of zeros is let through with a warning where an archive is unpacked', () => {
  const archive = `  archives:\n    - {name: cni, url: "https://x/a", directory: /opt, sha256: "${ZEROS}"}\n`

  expect(told(profile(archive))).toEqual([`h.yaml:6:64${warning('archive "cni"')}`])
})

test('a checksum of zeros is let through with a warning where the runtime is an archive', () => {
  const runtime = `  runtime:\n    containerd:\n      archive:\n        url: "https://x/a"\n        sha256: {amd64: "${ZEROS}"}\n`

  expect(told(profile(runtime))).toEqual([`h.yaml:9:25${warning('archive "containerd" for amd64')}`])
})

test('a checksum of zeros is let through with a warning in a NodeOverride', () => {
  const spec = `  node: n\n  files:\n    - path: /a\n      download: {url: "https://x/a", sha256: "${ZEROS}"}\n`

  expect(told({ 'o.yaml': aDocument('NodeOverride', 'o', `spec:\n${spec}`) })).toEqual([`o.yaml:8:46${warning('/a')}`])
})
