/** What the manifest of the krew plugin says of one release. */
export interface PluginRelease {
  readonly version: string
  /** Address of the folder that the archive is in. */
  readonly url: string
  /** File name of the archive. */
  readonly archive: string
  readonly sha256: string
  readonly homepage: string
}

/** @throws {Error} when the template names a value that there is none of */
export function pluginManifest(template: string, { version, url, archive, sha256, homepage }: PluginRelease): string {
  const values: Readonly<Record<string, string>> = { version, homepage, sha256, uri: `${url.replace(/\/$/, '')}/${archive}` }
  return template.replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const value = values[name]
    if (value === undefined) throw new Error(`fill in "{{${name}}}" of the krew manifest: there is no such value`)
    return value
  })
}
