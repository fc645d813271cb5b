// What C calls of a live model. Behind the kernels of one.

static void solve(const fil_live_pack *pack, const fil_live_now *now, const fil_live_shape *shapes)
{
    live_solve(pack, now, shapes);
}

static unsigned finish(const fil_live_pack *pack, const fil_live_now *now)
{
    return fil_m8_bits(live_finish(pack, now));
}

static unsigned lead(const fil_live_pack *pack, const fil_live_now *now, const fil_live_shape *shapes)
{
    return LIVE_KEEPS_LENGTHS ? fil_m8_bits(live_lead(pack, now, shapes)) : 0;
}

static const fil_live_type live = {.solve = solve, .lead = lead, .finish = finish, .leads = LIVE_LEADS};
