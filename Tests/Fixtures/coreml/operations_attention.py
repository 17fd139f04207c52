# Cases of make_operations.py: attention with one mask for all queries, for all heads, for one each, and with keys that all heads share.
for heads, keys, mask, form in (((1, 2), (1, 2), (1, 1, 1, 5), "float"), ((1, 2), (1, 2), (5,), "float"), ((1, 2), (1, 2), (1, 1, 1, 5), "bool"),
                                ((2, 2), (2, 2), (2, 1, 1, 5), "bool"), ((2, 2), (2, 2), (2, 2, 4, 5), "float"), ((2, 2), (2, 2), (1, 2, 4, 1), "float"),
                                ((2, 3), (1, 1), None, None), ((1, 3), (2, 1), (4, 5), "bool")):
    q, k, v = rand(*heads, 4, 6), rand(*keys, 5, 6), rand(*keys, 5, 3)
    lead = np.broadcast_shapes(heads, keys)
    m = None if mask is None else rand(*mask) if form == "float" else R.rand(*mask) > .4
    if form == "bool": m[..., 0] = True
    whole = lambda a, shape: np.broadcast_to(a, (*lead, *shape)).copy()
    full = None if m is None else whole(m, (4, 5))
    y = F.scaled_dot_product_attention(
        t(whole(q, (4, 6))), t(whole(k, (5, 6))), t(whole(v, (5, 3))), full if full is None else torch.from_numpy(full) if form == "bool" else t(full))
    case("scaled_dot_product_attention", {"query": q, "key": k, "value": v}, {} if m is None else {"attn_mask": m}, n(y), spec=9)
# A query that may see nothing, as in padding, gets the mean of all values.
m = np.ones((1, 1, 4, 5), bool)
m[..., 2, :], m[..., 0, 1:3] = False, False
q, k, v = rand(1, 2, 4, 6), rand(1, 2, 5, 6), rand(1, 2, 5, 3)
y = n(F.scaled_dot_product_attention(t(q), t(k), t(v), torch.from_numpy(m)))
y[:, :, 2] = v.astype(np.float64).mean(-2)
case("scaled_dot_product_attention", {"query": q, "key": k, "value": v}, {"attn_mask": m}, y, spec=9)
