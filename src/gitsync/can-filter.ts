import { getRemoteInfo2, type HttpClient } from 'isomorphic-git'

/** What a server has to say of itself before it is asked to leave something out. */
export interface FilterNeeds {
  /** Of the protocol: 1 names all refs, 2 none. Over SSH only what is asked in 1 can be fetched by the same process. */
  readonly version: 1 | 2
  readonly abilities: readonly string[]
}

export const OVER_HTTP: FilterNeeds = { version: 2, abilities: ['filter'] }
/** Over HTTP every server sends any file that is asked for by its id, over SSH it depends. */
export const OVER_SSH: FilterNeeds = {
  version: 1,
  abilities: ['filter', 'allow-tip-sha1-in-want', 'allow-reachable-sha1-in-want'],
}

/** Whether the server can leave files out, as forges can, and send them when they are asked for. */
export async function canFilter(http: HttpClient, url: string, { version, abilities }: FilterNeeds): Promise<boolean> {
  const info = await getRemoteInfo2({ http, url, protocolVersion: version })
  const { fetch } = info.capabilities
  const said = info.protocolVersion === 2 ? String(fetch).split(' ') : Object.keys(info.capabilities)
  return abilities.every((each) => said.includes(each))
}
