/** `group/name` of a repository, as forges have it in the path of its URL. */
export function repositoryName(url: string): string {
  return decodeURIComponent(new URL(url).pathname)
    .replace(/^\/+|\/+$/g, '')
    .replace(/\.git$/, '')
}
