import { askForge, type ForgeAccess } from './forge-request.ts'

/** Asks the API for a route; the parameters that it does not name are the query or the body. @throws {ForgeError} */
export type Ask = (
  route: string,
  parameters: { readonly signal: AbortSignal; readonly longest?: number } & Readonly<Record<string, unknown>>,
) => Promise<unknown>

/** Of GitHub, Gitea and Forgejo; routes of the repository have `{owner}/{repo}`. */
export function askGithub(access: ForgeAccess): Ask {
  const [owner = '', repo = ''] = access.repository.split('/')
  return async (route, { signal, longest, ...others }) => {
    const headers = { authorization: `Bearer ${await access.token()}` }
    const parameters = route.includes('{owner}') ? { ...others, owner, repo } : others
    return askForge(access, { route, parameters, headers, signal, longest })
  }
}

/** Routes of the repository have `{project}`. */
export function askGitlab(access: ForgeAccess): Ask {
  return async (route, { signal, longest, ...others }) => {
    const headers = { 'private-token': await access.token() }
    const parameters = route.includes('{project}') ? { ...others, project: access.repository } : others
    return askForge(access, { route, parameters, headers, signal, longest })
  }
}
