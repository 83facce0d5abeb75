"""Pictures for other programs: astropy finds the coordinates of FITS images and the units of their values, Pillow reads
JPEG and WebP."""
import warnings

import numpy as np
import pytest
from conftest import tool
from picture import png

WIDTH, HEIGHT, EXTENT = 200, 100, 8.0  # the extent is half the width
CENTRE = (0.5, -1.25, 3.0)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("pictures")
    tool("nbgen", "plummer", "-q", "-n", "2000", "-o", "code.nbs", cwd=made)
    tool("nbgen", "plummer", "-q", "-n", "2000", "--units", "galactic", "--mass", "2", "-o", "galactic.nbs", cwd=made)
    tool("nbgen", "kepler", "-q", "--units", "solar", "-o", "solar.nbs", cwd=made)
    return made


def render(folder, name, *options):
    tool("nbrender", "-q", "--size", f"{WIDTH}x{HEIGHT}", *options, cwd=folder)
    return folder / name


def image(path, axes=2):
    """The primary HDU with its coordinates; what astropy has to mend is an error."""
    fits, wcs = pytest.importorskip("astropy.io.fits"), pytest.importorskip("astropy.wcs")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with fits.open(path) as files:
            files.verify("exception")
            hdu = files[0].copy()
            return hdu, wcs.WCS(hdu.header, naxis=axes)


# What lies to the right and up in the picture: axis, and its direction.
VIEWS = {"z": ((0, 1), (1, 1)), "x": ((1, 1), (2, 1)), "y": ((0, 1), (2, 1)), "180,0": ((1, -1), (2, 1))}


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("what", [[], ["--map", "density"], ["--fov", "50"]], ids=["light", "map", "perspective"])
def test_coordinates(folder, view, what):
    name = "wcs.fits"
    options = ["--extent", EXTENT, "--center", ",".join(map(str, CENTRE)), "--view", view, "-f", "-o", name]
    hdu, wcs = image(render(folder, name, *what, *options, "code.nbs"))
    (right, to_right), (up, upwards) = VIEWS[view]
    assert hdu.data.shape[-2:] == (HEIGHT, WIDTH) and list(wcs.wcs.ctype) == ["XYZ"[right], "XYZ"[up]]
    step = 2 * EXTENT / WIDTH
    for column, row in ((0, 0), (WIDTH - 1, 0), (0, HEIGHT - 1), (WIDTH - 1, HEIGHT - 1), ((WIDTH - 1) / 2, (HEIGHT - 1) / 2), (-0.5, -0.5)):
        wanted = (CENTRE[right] + to_right * step * (column - (WIDTH - 1) / 2), CENTRE[up] + upwards * step * (row - (HEIGHT - 1) / 2))
        assert np.allclose(wcs.wcs_pix2world([[column, row]], 0)[0], wanted, rtol=0, atol=1e-9)
        assert np.allclose(wcs.wcs_world2pix([wanted], 0)[0], (column, row), rtol=0, atol=1e-7)


def test_a_body_is_where_its_coordinates_say(folder):
    text = "# m x y z vx vy vz\n1 -4.2 1.3 0 0 0 0\n1 -4.2 1.3 0 0 1 0\n"
    tool("nbconv", "-q", "--from", "text", "-f", "-o", "one.nbs", cwd=folder, input=text.encode())
    hdu, wcs = image(render(folder, "one.fits", "--extent", EXTENT, "--center", "0,0,0", "--view", "z", "--smooth", "fixed", "-f", "-o", "one.fits", "one.nbs"))
    light = hdu.data.sum(axis=0)
    rows, columns = np.mgrid[:HEIGHT, :WIDTH]
    place = wcs.wcs_pix2world([[(light * columns).sum() / light.sum(), (light * rows).sum() / light.sum()]], 0)[0]
    assert np.allclose(place, (-4.2, 1.3), atol=0.01)


def test_units(folder):
    units = pytest.importorskip("astropy.units")
    for name, length in ("galactic", units.kpc), ("solar", units.AU):
        hdu, wcs = image(render(folder, name + ".fits", "--extent", 2, "--center", "0,0,0", "-f", "-o", name + ".fits", name + ".nbs"))
        assert [units.Unit(unit) for unit in wcs.wcs.cunit] == [length, length]
        assert abs((1 * length).to(units.cm).value / hdu.header["LENGTH"] - 1) < 1e-9
    hdu, wcs = image(render(folder, "map.fits", "--map", "density", "--extent", 100, "--center", "0,0,0", "-f", "-o", "map.fits", "galactic.nbs"))
    side = abs(wcs.wcs.cdelt[0]) * wcs.wcs.cunit[0]
    mass = hdu.data.sum() * units.Unit(hdu.header["BUNIT"]) * side**2
    assert abs(mass.to(units.solMass).value / 2e10 - 1) < 1e-3


def test_all_directions(folder):
    hdu, wcs = image(render(folder, "all.fits", "--projection", "360", "-f", "-o", "all.fits", "code.nbs"))
    step = 360 / WIDTH
    assert list(wcs.wcs.cunit) == ["deg", "deg"]
    corner = wcs.wcs_pix2world([[0, 0], [WIDTH - 1, HEIGHT - 1], [(WIDTH - 1) / 2, (HEIGHT - 1) / 2]], 0)
    assert np.allclose(corner, [[-180 + step / 2, -90 + step / 2], [180 - step / 2, 90 - step / 2], [0, 0]], atol=1e-9)


@pytest.mark.parametrize("kind, quality, least", [("jpg", "good", 33), ("webp", "good", 33), ("webp", "best", 99)])
def test_jpeg_and_webp(folder, kind, quality, least):
    pil = pytest.importorskip("PIL.Image")
    if {"jpg": b"libjpeg", "webp": b"libwebp"}[kind] not in tool("nbrender", "--version"):
        pytest.skip("nbrender was built without the library")
    name = f"{quality}.{kind}"
    look = ["--extent", 2, "--center", "0,0,0"]
    true = png(render(folder, "true.png", *look, "-f", "-o", "true.png", "code.nbs")).astype(float)
    with pil.open(render(folder, name, *look, "--quality", quality, "-f", "-o", name, "code.nbs")) as picture:
        assert picture.format == {"jpg": "JPEG", "webp": "WEBP"}[kind] and picture.size == (WIDTH, HEIGHT)
        notes, pixels = picture.getexif(), np.asarray(picture.convert("RGB")).astype(float)
    assert true.std() > 20 and 10 * np.log10(255**2 / max(((pixels - true) ** 2).mean(), 1e-9)) > least
    assert notes[0x131].startswith("nbrender ") and "nbgen plummer" in notes[0x10E] and "--quality=" + quality in notes[0x10E]
